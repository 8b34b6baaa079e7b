/** docs/guides/write/custom-resources.md: the command before an upgrade prints what the guide shows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, folderWith, start } from '../cli/child.ts';
import { commandsOf } from '../scaffold/support/readme-commands.ts';
import { exampleOf, guide } from './guide.ts';

const [, chapter = ''] = guide('guides/write/custom-resources.md').split(
  '## Before an upgrade of a CRD',
);

/** The definition of the guide, changed by hand. */
function changed(manifest: string): string {
  const found = /^( +)required:\n(?= +- image)/m.exec(manifest);
  const [line = '', indent = ''] = found ?? [];
  return manifest.replace(line, `${line}${indent}  - owner\n`).replace(/^ +- paid\n/m, '');
}

test('[packaging 18] the command with `--check` in custom-resources.md prints what the guide shows', async () => {
  const { manifest } = await exampleOf<{ readonly manifest: string }>(
    'guides/write/custom-resources.md',
    'website.ts',
  );
  const parent = folderWith({});
  const [here, released] = [join(parent, 'here'), join(parent, 'released')];
  for (const folder of [join(here, 'deploy/crds'), join(released, 'crds')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(released, 'crds/websites.yaml'), manifest);
  writeFileSync(join(here, 'deploy/crds/websites.yaml'), changed(manifest));
  const [command = '', ...others] = commandsOf(chapter);
  const [npx, name, ...args] = command.split(' ');

  const child = start(process.execPath, [BIN, ...args], {}, here);

  expect(others).toEqual([]);
  expect([npx, name]).toEqual(['npx', 'chancery']);
  expect(await child.exit).toBe(1);
  const [, shown = ''] = /^```\n(.*?)\n```$/ms.exec(chapter) ?? [];
  expect(child.stdout.lines).toEqual(shown.split('\n'));
});
