/** `docs/security.md` claims nothing that no test shows. */
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import website from '../../examples/website/operator.ts';
import { proxyFilter } from '../../operator/generate/proxy-filter.ts';
import { BIN, start } from '../cli/child.ts';
import { NAMESPACE, requireKubectl, startCluster } from '../support/cluster.ts';
import { exampleFolder } from './guide.ts';
import { shareOfNameFound, testsNamedIn } from './named-tests.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');

/** Rows of both tables: | whom | what | `file` › test<br>`file` › test |. */
const lines = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:from whom|what) \|/.test(line));
const rows = lines.flatMap((line) => {
  const [claim = '', cell = ''] = [line, line.split(' | ').at(-1)?.replace(/ \|$/, '')];
  return testsNamedIn(cell).map((test) => ({ claim, ...test }));
});

test('every claim names a test, by its file and its words', () => {
  const unnamed = rows.filter(
    ({ file, name }) => !/^test\/.+\.ts$/.test(file) || !/\w \w|\w=/.test(name),
  );

  expect(lines.length).toBeGreaterThan(25);
  expect(unnamed).toEqual([]);
});

test('every threat of the ambassador has a row, or stands among what is not protected', () => {
  const ambassador = readFileSync(new URL('proxy/README.md', root), 'utf8');
  const threats = [...ambassador.matchAll(/^\| (T[0-9]+) \|/gm)].map(([, threat = '']) => threat);
  const protectedFrom = lines.join('\n');

  const unmentioned = threats.filter(
    (threat) => !new RegExp(`\\b${threat}\\b`).test(protectedFrom),
  );

  expect(threats).toHaveLength(18);
  expect(unmentioned).toEqual([]);
});

describe('the test of', () => {
  test.each(
    rows.map(({ file, name, claim }) => [file, name, claim] as const),
  )('%s › %s', (file, name) => {
    expect(shareOfNameFound({ file, name })).toBeGreaterThanOrEqual(0.8);
  });
});

test('the commands: what they generate passes the lint, and the check behind it', async () => {
  const { proxy } = await startCluster({
    filter: proxyFilter([website], { namespaces: [NAMESPACE] }),
  });
  const folder = exampleFolder();
  copyFileSync(new URL('examples/website/operator.ts', root), join(folder, 'operator.ts'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(BIN, join(folder, 'bin', 'chancery'));
  symlinkSync(requireKubectl(), join(folder, 'bin', 'kubectl'));
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
