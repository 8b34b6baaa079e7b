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
 * @throws ConfigurationError `CONFIG` when they cannot be generated from these declarations and metadata.
 */
export async function packageFiles(
  what: 'chart' | 'bundle',
  declared: readonly Generating[],
  args: GenerateArguments,
  manifests: ManifestsOptions,
  { stdin }: Pick<Io, 'stdin'>,
): Promise<readonly ManifestFile[]> {
  const { command, declaring, definitions, package: asked } = args;
  const { version, metadata: file, pin, samples, ...bundle } = asked;
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
  const shown = await readManifests(samples, stdin, '--sample ');
  return bundleFiles(model, metadata, {
    ...{ command, pin, ...bundle },
    samples: shown.map(({ value }) => value as KubernetesObject),
  });
}

/** Folders of which Helm and OLM take every file. */
const TAKEN_WHOLE = {
  chart: ['charts', 'crds', 'templates'],
  bundle: ['manifests', 'metadata', 'tests'],
} as const;

/**
 * Compares the folder of a package with its files. A file that a package would contain, and that was not generated,
 * is `foreign` too: it could grant rights that no declaration asks for.
 *
 * @throws OperatorError `CONFIG` when a file or folder cannot be read.
 */
export async function packageStates(
  what: 'chart' | 'bundle',
  output: string,
  files: readonly ManifestFile[],
): Promise<readonly FileState[]> {
  // In these folders files that were generated earlier are looked for.
  const folders = [...new Set(files.map(({ path }) => posix.dirname(path)))];
  const earlier = what === 'chart' ? ['templates/crd', 'templates/resources'] : [];
  const states = await treeStates(output, files, [...new Set([...folders, ...earlier])]);
  return [...states, ...(await strangerStates(output, TAKEN_WHOLE[what], states))];
}

/** Packages carry the files of the mounted folder, as no generator runs when they are installed. */
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
