"""`python -I as_user.py NAME COMMAND...`: become a user, for good, and then the command."""

import os
import pwd
import sys
import warnings  # noqa: F401  # os looks for programs with it, and the user may not read it


def become(name: str, command: list[str]) -> None:
    """Give up all that the user does not have, and run the command in this process."""
    user = pwd.getpwnam(name)
    os.initgroups(name, user.pw_gid)
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    environment = os.environ | {"HOME": user.pw_dir, "USER": name, "LOGNAME": name}
    os.execvpe(command[0], command, environment)


if __name__ == "__main__":
    try:
        become(sys.argv[1], sys.argv[2:])
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: {error.strerror}")
