/** The trees of manifests that are committed, and what they are made from. */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import configRestart from '../../../examples/config-restart/operator.ts';
import operator, { website } from '../../../examples/website/operator.ts';
import type { Declared } from '../../../operator/controller/access-declaration.ts';
import type { Controller } from '../../../operator/controller/controller.ts';
import type { ManifestFile } from '../../../operator/generate/manifests/manifest-file.ts';
import type { ManifestsOptions } from '../../../operator/generate/manifests/manifests-options.ts';
import type { DefinedResource } from '../../../operator/model/custom-resource-definition.ts';

const repository = new URL('../../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', repository), 'utf8')) as {
  readonly version: string;
};

export interface Tree {
  /** Where it is committed, from the repository's root. */
  readonly folder: string;
  readonly controllers: readonly Declared[];
  readonly options: ManifestsOptions;
}

const COMMON = {
  leaderElection: true,
  installCrds: false,
  stopSeconds: 25,
  command: 'npm run generate',
} as const satisfies Partial<ManifestsOptions>;

/** The example `website` with a definition that nobody converts: no gate follows from it. */
export const SITE: Controller = {
  ...website,
  for: {
    ...website.for,
    resource: unconverted(website.for.resource as unknown as DefinedResource),
  },
} as Controller;

function unconverted(resource: DefinedResource): DefinedResource {
  const { conversion: _conversion, ...spec } = resource.definition.spec;
  return { ...resource, definition: { ...resource.definition, spec } };
}

export const CONFIG_RESTART: Tree = {
  folder: 'manifests',
  controllers: [configRestart],
  options: {
    ...COMMON,
    name: 'config-restart',
    namespace: 'config-restart',
    modules: ['/examples/config-restart/operator.ts'],
    images: { ambassador: `chancery-proxy:${version}`, operator: `chancery-operator:${version}` },
    resources: ['../examples/config-restart'],
  },
};

export const WEBSITE: Tree = {
  folder: 'examples/website/manifests',
  controllers: operator,
  options: {
    ...COMMON,
    name: 'website',
    namespace: 'website',
    modules: ['/operators/website/operator.ts'],
    images: { ambassador: `chancery-proxy:${version}`, operator: `website-operator:${version}` },
    components: '../../../manifests/components',
  },
};

/** A tree of an operator that does as config-restart does, under other names. */
export function options(changed: Partial<ManifestsOptions> = {}): ManifestsOptions {
  const { resources: _definitions, ...rest } = CONFIG_RESTART.options;
  return { ...rest, ...changed };
}

/** A folder of the repository as a path. */
export function inRepository(path: string): string {
  return fileURLToPath(new URL(path, repository));
}

/** Writes files below a new folder, which goes with the test; resolves to that. */
export async function written(files: readonly ManifestFile[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-manifests-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** A kustomization of `components` on top of `resources`, all relative to the tree's folder. */
export function overlay(
  path: string,
  components: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): ManifestFile {
  const up = path
    .split('/')
    .map(() => '..')
    .join('/');
  const kustomization = {
    resources: [`${up}/base`],
    components: components.map((component) => `${up}/components/${component}`),
    ...more,
  };
  return { path: `${path}/kustomization.yaml`, text: JSON.stringify(kustomization) };
}
