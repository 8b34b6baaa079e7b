# Takes a copy of the primary. Begun again, it begins anew: a copy is whole, or has another name.
set -euo pipefail
copy="/mysql/backup/${BACKUP:?}"
rm -rf -- "$copy.partial"
mkdir -p -- "$copy.partial"
ncat --recv-only "$CLUSTER-0.$CLUSTER" 3307 | xbstream -x -C "$copy.partial"
xtrabackup --prepare --target-dir="$copy.partial"
rm -rf -- "$copy"
mv -- "$copy.partial" "$copy"
