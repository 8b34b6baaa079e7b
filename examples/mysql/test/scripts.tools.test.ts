/**
 * The scripts, run by bash, with stand-ins for MySQL's programs that note what they are told.
 *
 * @module-tag bash
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../../../test/tools/tools.ts';
import { script } from '../scripts.ts';

const run = promisify(execFile);

const PASSWORD = `it's "4" \\s`;

const PROGRAMS = ['mysql', 'ncat', 'xtrabackup', 'xbstream'];
const STAND_IN = `#!/bin/bash
echo "\${0##*/} $*" >> "$ROOT/lines"
exec cat >> "$ROOT/input"
`;

interface Pod {
  /** Runs a script there. */
  run(name: Parameters<typeof script>[0]): Promise<void>;
  write(path: string, text: string): Promise<void>;
  /** Empty when there is none. */
  read(path: string): Promise<string>;
}

/** Its volumes are in a folder of the test. */
async function podOf(hostname: string): Promise<Pod> {
  const root = await mkdtemp(join(tmpdir(), 'mysql-pod-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const bin = join(root, 'bin');
  for (const path of ['bin', 'mnt/conf.d', 'mnt/config-map', 'mnt/credentials', 'var/lib/mysql']) {
    await mkdir(join(root, path), { recursive: true });
  }
  for (const program of PROGRAMS) {
    await writeFile(join(bin, program), STAND_IN);
    await chmod(join(bin, program), 0o755);
  }
  const PATH = `${bin}:${process.env.PATH}`;
  const own = { ROOT: root, PATH, HOSTNAME: hostname, MYSQL_ROOT_PASSWORD: PASSWORD };
  const env = { ...own, CLUSTER: 'c', PORT: '3307', BACKUP: 'b' };
  return {
    async run(name) {
      const text = script(name).replaceAll(/(?<![\w.])\/(mnt|var|mysql)\//g, `${root}/$1/`);
      const running = run(pathOf('bash'), ['-c', text], { env });
      running.child.stdin?.end();
      await running;
    },
    write: (path, text) => writeFile(join(root, path), text),
    read: (path) => readFile(join(root, path), 'utf8').catch(() => ''),
  };
}

test('MY18, MY19: a replica starts with the terms of MySQL 8.4, and its password is on no command line', async () => {
  const pod = await podOf('c-1');
  await pod.write('mnt/config-map/slave.cnf', 'replica');
  await pod.write('var/lib/mysql/xtrabackup_binlog_info', 'binlog.000002\t157\t\n');

  await pod.run('init');
  await pod.run('serve');
  const lines = await pod.read('lines');
  const input = await pod.read('input');

  expect(await pod.read('mnt/conf.d/server-id.cnf')).toBe('[mysqld]\nserver-id=101\n');
  expect(await pod.read('mnt/conf.d/slave.cnf')).toBe('replica');
  expect(await pod.read('mnt/credentials/client.cnf')).toContain(`password="it's \\"4\\" \\\\s"\n`);
  expect(input).toContain("CHANGE REPLICATION SOURCE TO\n  SOURCE_HOST='c-0.c', SOURCE_PORT=3307,");
  expect(input).toContain("SOURCE_LOG_FILE='binlog.000002', SOURCE_LOG_POS=157,");
  expect(input).toContain(`SOURCE_PASSWORD='it''s "4" \\\\s'`);
  expect(input).toContain('START REPLICA;');
  expect(lines).toMatch(
    /^mysql --defaults-extra-file=.*client\.cnf --host=127\.0\.0\.1 --port=3307/,
  );
  expect(lines).toContain('ncat --listen');
  expect(lines).not.toContain('"4"');
});

test('the primary starts with the configuration for a primary, and without a replication source', async () => {
  const pod = await podOf('c-0');
  await pod.write('mnt/config-map/master.cnf', 'primary');
  await pod.write('var/lib/mysql/xtrabackup_binlog_info', 'binlog.000002\t157\t\n');

  await pod.run('init');
  await pod.run('serve');

  expect(await pod.read('mnt/conf.d/server-id.cnf')).toBe('[mysqld]\nserver-id=100\n');
  expect(await pod.read('mnt/conf.d/master.cnf')).toBe('primary');
  expect(await pod.read('lines')).not.toContain('mysql --');
});
