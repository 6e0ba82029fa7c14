#!/bin/sh
# Stands for the program in tests of packages: it writes its names, completions and manual pages.
case $1 in
    links) echo "$2/dspmq" && echo "$2/runmqsc" ;;
    completions) echo "complete for $2" ;;
    man) mkdir "$3" && echo ".TH quaymaster" > "$3/quaymaster.1" && echo "$3/quaymaster.1" ;;
    *) exit 2 ;;
esac
