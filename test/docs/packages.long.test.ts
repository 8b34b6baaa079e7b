/** The page about packages: its commands run, its tables name what there is. */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseYaml } from '../../operator/core/yaml.ts';
import { settingsOf } from '../../packages/packaging/src/chart/settings.ts';
import { demo } from '../../packages/packaging/test/bundle/support/bundles.ts';
import { BIN } from '../cli/child.ts';
import { exampleFolder, guide, rowsOf } from './guide.ts';
import { shell } from './running-commands.ts';

const page = guide('guides/operate/packages.md');
const BLOGPOST = fileURLToPath(new URL('../../examples/blogpost/operator.ts', import.meta.url));

/** Programs that nobody has here, or that need a cluster: the last section says so. */
const NOT_RUN = /^(?:helm install|kubectl label|kubectl annotate) /;

const commands = page
  .replaceAll(/^```.*?^```/gms, '')
  .split('\n')
  .filter((line) => line.startsWith('    '))
  .map((line) => line.trim());

function fileOf(name: string): string {
  return page.match(new RegExp(`^\`\`\`yaml ${name}\\n(.*?)^\`\`\``, 'ms'))?.[1] ?? '';
}

test("the commands in packages.md write a chart, a bundle and a catalog with the page's metadata", {
  timeout: 120_000,
}, async () => {
  const place = exampleFolder();
  mkdirSync(join(place, 'bin'));
  symlinkSync(BIN, join(place, 'bin', 'chancery'));
  copyFileSync(BLOGPOST, join(place, 'operator.ts'));
  writeFileSync(join(place, 'package.yaml'), fileOf('package.yaml'));
  const own = commands.filter((command) => !NOT_RUN.test(command));

  expect(own.length).toBeGreaterThan(6);
  expect(own.filter((command) => !command.startsWith('chancery '))).toEqual([]);
  for (const command of own) {
    const run = shell(command, place, {});
    expect({ command, code: await run.exit, said: run.stderr.lines.slice(-2) }).toMatchObject({
      command,
      code: 0,
    });
  }
});

test('the table of metadata in packages.md has the fields of its example', () => {
  const table = page.split('## Metadata')[1]?.split('## The chart')[0] ?? '';
  const named = rowsOf(table).flatMap(([cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );

  const given = Object.keys(parseYaml(fileOf('package.yaml')) as object);
  expect([...given, 'icon'].sort()).toEqual(named.sort());
});

test('every chart value that packages.md mentions exists', () => {
  const table = page.split('## The chart')[1]?.split('**What values never change.**')[0] ?? '';
  const named = rowsOf(table).flatMap(([cell = '']) =>
    [...cell.matchAll(/`([\w.]+)/g)].map(([, name = '']) => name),
  );
  const known = settingsOf(demo()).map(({ path }) => path);

  expect(named.length).toBeGreaterThan(10);
  const isKnown = (name: string) =>
    known.some((path) => path === name || path.startsWith(`${name}.`));
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

test('packages.md lists the programs that were not run', () => {
  const section = page.split('## What has not been shown')[1] ?? '';

  for (const program of ['helm', 'ct', 'kubeconform', 'operator-sdk', 'opm']) {
    expect(section).toContain(`\`${program}\``);
  }
  expect(commands.filter((command) => NOT_RUN.test(command)).length).toBeGreaterThan(0);
});
