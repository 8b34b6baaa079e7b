# Begins replication after a clone, once; then sends a copy of the data to whoever connects.
set -euo pipefail
credentials=/mnt/credentials/client.cnf
cd /var/lib/mysql
if [ "${HOSTNAME##*-}" != 0 ] && [ -f xtrabackup_binlog_info ]; then
  sql() { mysql --defaults-extra-file="$credentials" --host=127.0.0.1 --port="$PORT" "$@"; }
  until sql --execute='SELECT 1' > /dev/null; do sleep 1; done
  read -r file position _ < xtrabackup_binlog_info
  quoted="${MYSQL_ROOT_PASSWORD//\\/\\\\}"
  quoted="${quoted//\'/\'\'}"
  # By standard input: a command line is seen by everybody.
  sql <<SQL
CHANGE REPLICATION SOURCE TO
  SOURCE_HOST='$CLUSTER-0.$CLUSTER', SOURCE_PORT=$PORT,
  SOURCE_USER='root', SOURCE_PASSWORD='$quoted', GET_SOURCE_PUBLIC_KEY=1,
  SOURCE_LOG_FILE='$file', SOURCE_LOG_POS=$position, SOURCE_CONNECT_RETRY=10;
START REPLICA;
SQL
  mv xtrabackup_binlog_info xtrabackup_binlog_info.done
fi
exec ncat --listen --keep-open --send-only --max-conns=1 3307 --sh-exec \
  "xtrabackup --defaults-extra-file=$credentials --backup --stream=xbstream --host=127.0.0.1 --port=$PORT --target-dir=/tmp"
