@echo off
rem Starts the rld command line from cmd.exe and PowerShell; Git Bash takes the file "rld" beside this one.
rem A candidate is run, not looked up: the python of a Windows without Python only opens the Store and exits 49.
setlocal
set "RLD_PROBE=import sys; sys.exit(sys.version_info < (3, 9))"
py -3 -I -c "%RLD_PROBE%" >nul 2>nul <nul
if %errorlevel%==0 goto py
python -I -c "%RLD_PROBE%" >nul 2>nul <nul
if %errorlevel%==0 goto python
echo rld: found no Python 3.9 or newer (tried py -3 and python). Install one, and run rld again. 1>&2
exit /b 1

:py
py -3 -I "%~dp0..\scripts\bootstrap.py" run %*
exit /b %errorlevel%

:python
python -I "%~dp0..\scripts\bootstrap.py" run %*
exit /b %errorlevel%
