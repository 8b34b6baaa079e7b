import { posix } from 'node:path';
import { ConfigurationError, type KubernetesObject } from 'chancery';
import {
  type CustomResourceDefinition,
  type FileState,
  type GenerateArguments,
  type Generating,
  type Io,
  type ManifestFile,
  type ManifestsOptions,
  operatorModel,
  readManifests,
  sourceFolder,
  strangerStates,
  treeStates,
  withTexts,
} from 'chancery/internal';
import { bundleFiles } from '../bundle/bundle.ts';
import { chartFiles } from '../chart/chart.ts';
import { packageMetadata } from './package-metadata.ts';

/**
 * The files of a chart or a bundle.
 *
 * @throws ConfigurationError `CONFIG` when the files cannot be generated from these declarations
 * and metadata.
 */
export async function packageFiles(
  what: 'chart' | 'bundle',
  declared: readonly Generating[],
  args: GenerateArguments,
  manifests: ManifestsOptions,
  { stdin }: Pick<Io, 'stdin'>,
): Promise<readonly ManifestFile[]> {
  const { command, declaring, definitions, package: asked } = args;
  const { version, metadata: file, pin } = asked;
  const metadata = await packageMetadata(declaring, { version, file });
  const documents = await readManifests(definitions, stdin, '--crd ');
  const { objects = [] } = manifests;
  const model = operatorModel(declared, {
    ...(await withFolderTexts(manifests, args)),
    objects: objects.filter((object) => !isDefinitionObject(object)),
    definitions: [
      ...documents.map(({ file: source, value }) => definitionOf(source, value)),
      ...objects.filter(isDefinitionObject),
    ],
  });
  if (what === 'chart') return chartFiles(model, metadata, { command, pin });
  const shown = await readManifests(asked.sample, stdin, '--sample ');
  const { channels, skips, installModes, allowKeyInOperator } = asked;
  const { defaultChannel, replaces, skipRange, createdAt } = asked;
  return bundleFiles(model, metadata, {
    ...{ command, pin, channels, skips, installModes, allowKeyInOperator },
    ...(defaultChannel !== undefined && { defaultChannel }),
    ...(replaces !== undefined && { replaces }),
    ...(skipRange !== undefined && { skipRange }),
    ...(createdAt !== undefined && { createdAt }),
    samples: shown.map(({ value }) => value as KubernetesObject),
  });
}

/** Folders in which Helm and OLM use every file. */
const TAKEN_WHOLE = {
  chart: ['charts', 'crds', 'templates'],
  bundle: ['manifests', 'metadata', 'tests'],
} as const;

/**
 * Compares the folder of a package with its generated files. A file that would become part of the
 * package, but was not generated, is reported as `foreign`: it could grant rights that no
 * declaration needs.
 *
 * @throws OperatorError `CONFIG` when a file or folder cannot be read.
 */
export async function packageStates(
  what: 'chart' | 'bundle',
  output: string,
  files: readonly ManifestFile[],
): Promise<readonly FileState[]> {
  // Also search the folders that an earlier run may have generated.
  const folders = [...new Set(files.map(({ path }) => posix.dirname(path)))];
  const earlier = what === 'chart' ? ['templates/crd', 'templates/resources'] : [];
  const states = await treeStates(output, files, [...new Set([...folders, ...earlier])]);
  return [...states, ...(await strangerStates(output, TAKEN_WHOLE[what], states))];
}

/**
 * Adds the files of the mounted folder. A package contains these files, because no generator runs
 * when the package is installed.
 */
async function withFolderTexts(
  manifests: ManifestsOptions,
  { declaring }: GenerateArguments,
): Promise<ManifestsOptions> {
  const { program } = manifests;
  const source = sourceFolder(declaring);
  if (program?.folder === undefined || source === undefined) return manifests;
  const folder = await withTexts(program.folder, source);
  return { ...manifests, program: { ...program, folder } };
}

function isDefinitionObject(object: KubernetesObject): object is CustomResourceDefinition {
  return object.kind === 'CustomResourceDefinition';
}

function definitionOf(file: string, value: unknown): CustomResourceDefinition {
  const { kind } = (value ?? {}) as { readonly kind?: unknown };
  if (kind === 'CustomResourceDefinition') return value as CustomResourceDefinition;
  throw new ConfigurationError(
    `--crd ${file}: expected CustomResourceDefinitions; got ${String(kind)}`,
  );
}
