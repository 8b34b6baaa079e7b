import { posix } from 'node:path';
import { ConfigurationError } from '../../core/errors.ts';
import { bundleFiles } from '../../generate/bundle/bundle.ts';
import { chartFiles } from '../../generate/chart/chart.ts';
import type { ManifestFile } from '../../generate/manifests/manifest-file.ts';
import type { ManifestsOptions } from '../../generate/manifests/manifests-options.ts';
import { operatorModel } from '../../generate/manifests/operator-model.ts';
import type { CustomResourceDefinition } from '../../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Io } from '../command.ts';
import type { Generating } from '../declarations/load-declarations.ts';
import { readManifests } from '../manifest-files.ts';
import type { GenerateArguments } from './arguments.ts';
import { withTexts } from './folder-files.ts';
import { sourceFolder } from './operator-program.ts';
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
  const model = operatorModel(declared, {
    ...(await withFolderTexts(manifests, args)),
    definitions: documents.map(({ file: source, value }) => definitionOf(source, value)),
  });
  if (what === 'chart') return chartFiles(model, metadata, { command, pin });
  const shown = await readManifests(samples, stdin, '--sample ');
  return bundleFiles(model, metadata, {
    ...{ command, pin, ...bundle },
    samples: shown.map(({ value }) => value as KubernetesObject),
  });
}

/** The folders of files, in which files that were generated earlier are looked for. */
export function foldersOf(files: readonly ManifestFile[]): readonly string[] {
  return [...new Set(files.map(({ path }) => posix.dirname(path)))];
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

function definitionOf(file: string, value: unknown): CustomResourceDefinition {
  const { kind } = (value ?? {}) as { readonly kind?: unknown };
  if (kind === 'CustomResourceDefinition') return value as CustomResourceDefinition;
  throw new ConfigurationError(
    `--crd ${file}: expected CustomResourceDefinitions; got ${String(kind)}`,
  );
}
