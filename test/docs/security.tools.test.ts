/**
 * The commands of docs/security/security.md, run.
 *
 * @module-tag kubectl
 */
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { website } from '../../examples/website/operator.ts';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { BIN, start } from '../cli/child.ts';
import { NAMESPACE, startCluster } from '../support/cluster.ts';
import { pathOf } from '../tools/tools.ts';
import { exampleFolder } from './guide.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security/security.md', root), 'utf8');

test('the commands in security.md succeed, and `lint` and `check` accept the generated files', async () => {
  const { proxy } = await startCluster({
    filter: proxyFilter([website], { namespaces: [NAMESPACE] }),
  });
  const folder = exampleFolder();
  for (const file of ['operator.ts', 'definition.ts', 'webhook.ts']) {
    copyFileSync(new URL(`examples/website/${file}`, root), join(folder, file));
  }
  mkdirSync(join(folder, 'bin'));
  symlinkSync(BIN, join(folder, 'bin', 'chancery'));
  symlinkSync(pathOf('kubectl'), join(folder, 'bin', 'kubectl'));
  const env = {
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
    CHANCERY_API_URL: proxy.url,
    POD_NAMESPACE: NAMESPACE,
  };
  const commands = page
    .split('\n')
    .filter((line) => /^ {4}(?:chancery|kubectl) /.test(line))
    .map((line) => line.replace(/ #.*/, '').trim());

  const outcomes: (readonly [command: string, code: number | string, message: string])[] = [];
  for (const command of commands) {
    const child = start('sh', ['-c', `cd '${folder}' && ${command}`], env);
    const code = await child.exit;
    outcomes.push([command, code, code === 0 ? '' : child.stderr.lines.join('\n')]);
  }

  expect(commands).toHaveLength(5);
  expect(outcomes).toEqual(commands.map((command) => [command, 0, '']));
}, 60_000);
