# Fills an empty volume: the primary's from a backup, a replica's from the primary.
set -euo pipefail
data=/var/lib/mysql
if [ -d "$data/mysql" ]; then exit 0; fi
if [ "${HOSTNAME##*-}" = 0 ]; then
  if [ -d /mysql/backup ]; then
    xtrabackup --copy-back --target-dir=/mysql/backup --datadir="$data"
  fi
  exit 0
fi
ncat --recv-only "$CLUSTER-0.$CLUSTER" 3307 | xbstream -x -C "$data"
xtrabackup --prepare --target-dir="$data"
