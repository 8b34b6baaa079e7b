# Removes a copy, finished or not.
set -eu
rm -rf -- "/mysql/backup/${BACKUP:?}" "/mysql/backup/${BACKUP:?}.partial"
