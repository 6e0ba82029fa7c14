"""Where the program is that the wheel has installed."""

import os
import shutil
import site
import sys
import sysconfig

NAME = "quaymaster"


def program() -> str:
    """The path of the program: `$QUAYMASTER_BIN`, else that of this installation, else one on the path."""
    named = os.environ.get("QUAYMASTER_BIN")
    if named:
        return named
    folders = [sysconfig.get_path("scripts")]
    if site.ENABLE_USER_SITE:
        folders.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in folders:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return path
    found = shutil.which(NAME)
    if found is None:
        raise FileNotFoundError(f"no program {NAME} in {', '.join(folders)} or on the path of {sys.executable}")
    return found
