import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as resources from '../../operator/model/kubernetes/resources.ts';
import { BUILT_IN_RESOURCES } from '../../testing/src/apiserver/registry/built-in-resources.ts';
import { listFile } from '../support/kubernetes-schema/list-file.ts';
import { readTypeData } from '../support/kubernetes-schema/type-data.ts';
import { kubernetesEntry, typeFiles } from '../support/kubernetes-schema/type-files.ts';

const FOLDER = fileURLToPath(new URL('../../operator/model/kubernetes/', import.meta.url));

test('the committed types of built-in kinds equal the generated ones', () => {
  const generated = typeFiles(readTypeData());

  const committed = readdirSync(FOLDER).filter((name) => name !== 'forms.ts');

  expect(committed.sort()).toEqual([...generated.keys()].sort());
  for (const [name, text] of generated) {
    expect(readFileSync(`${FOLDER}${name}`, 'utf8'), name).toBe(text);
  }
});

test('the committed lists of built-in kinds equal the generated ones', () => {
  const file = `${FOLDER}../../controller/object-shape/built-in-lists.ts`;

  expect(readFileSync(file, 'utf8')).toBe(listFile(readTypeData()));
});

test('chancery/kubernetes exports every resource, and the type of every kind', () => {
  const entry = readFileSync(`${FOLDER}../../kubernetes.ts`, 'utf8');

  const kinds = Object.values(resources).map(({ kind }) => kind);

  expect(entry).toBe(kubernetesEntry(typeFiles(readTypeData())));
  expect(entry).toContain("export * from './model/kubernetes/resources.ts';");
  const typed = kinds.filter((kind) =>
    new RegExp(`^export type \\{[^}]*\\b${kind}\\b`, 'm').test(entry),
  );
  // That one is of the aggregator, which has Go types of its own.
  expect(kinds.filter((kind) => !typed.includes(kind))).toEqual(['APIService']);
});

test('every served built-in kind has a resource', () => {
  const names = Object.values(resources).map(nameOf);

  const missing = BUILT_IN_RESOURCES.map(nameOf).filter((name) => !names.includes(name));

  expect(missing).toEqual(['v1/events', 'autoscaling/v1/horizontalpodautoscalers']);
  expect(names.length + missing.length).toBe(BUILT_IN_RESOURCES.length);
});

test('the public API loads no file that contains only types', async () => {
  const loaded = await loadedBy('../../operator/index.ts');

  const kubernetes = loaded.filter((url) => url.includes('/model/kubernetes/'));

  expect(kubernetes.map((url) => url.slice(url.lastIndexOf('/') + 1))).toEqual(['resources.ts']);
});

function nameOf({
  group,
  version,
  plural,
}: {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}): string {
  return group === '' ? `${version}/${plural}` : `${group}/${version}/${plural}`;
}

/** The modules that a process loads that imports `entry`. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import(${JSON.stringify(new URL(entry, import.meta.url).href)});
    process.stdout.write(JSON.stringify(urls));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=chancery-source',
    '--input-type=module',
    '--eval',
    program,
  ]);
  return JSON.parse(stdout) as readonly string[];
}
