/** The chart and the bundle that are attached: those of the example that is meant to be installed as it is. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments, parseDocument, visit } from 'yaml';
import { isThere, packFolder } from './archives.ts';

/** Whose chart and bundle they are. */
export const EXAMPLE = 'reloader';

export interface Attached {
  /** The archive, from the folder of the release; undefined when there is none. */
  readonly archive?: string;
  readonly problems: readonly string[];
}

export async function attachChart(
  root: string,
  folder: string,
  version: string,
): Promise<Attached> {
  const source = join(root, 'examples', EXAMPLE, 'chart');
  if (!(await isThere(join(source, 'Chart.yaml')))) {
    return { problems: [`examples/${EXAMPLE}/chart is not there`] };
  }
  const chart = parseDocument(await readFile(join(source, 'Chart.yaml'), 'utf8')).toJS() as Chart;
  const archive = `${EXAMPLE}-${version}.tgz`;
  await packFolder(source, join(folder, archive), EXAMPLE);
  return {
    archive,
    problems: [
      ...(chart.version === version ? [] : [`its version is ${chart.version}, not ${version}`]),
      ...imagesOfChart(chart).flatMap(unpinned),
    ],
  };
}

export async function attachBundle(
  root: string,
  folder: string,
  version: string,
): Promise<Attached> {
  const source = join(root, 'examples', EXAMPLE, 'bundle');
  if (!(await isThere(join(source, 'manifests')))) {
    return { problems: [`examples/${EXAMPLE}/bundle is not there`] };
  }
  const archive = `${EXAMPLE}-bundle-${version}.tgz`;
  await packFolder(source, join(folder, archive), `${EXAMPLE}-bundle`);
  const texts = await manifestsIn(source);
  return {
    archive,
    problems: [...versionProblems(texts, version), ...new Set(texts.flatMap(imagesIn))],
  };
}

interface Chart {
  readonly version?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a chart tells Artifact Hub of its images. */
function imagesOfChart({ annotations = {} }: Chart): readonly string[] {
  const list: unknown = parseDocument(annotations['artifacthub.io/images'] ?? '[]').toJS();
  if (!Array.isArray(list)) return [];
  return list.flatMap(({ image }: { image?: unknown }) => (typeof image === 'string' ? image : []));
}

async function manifestsIn(bundle: string): Promise<readonly string[]> {
  const names = await readdir(join(bundle, 'manifests'));
  return Promise.all(
    names
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted()
      .map((name) => readFile(join(bundle, 'manifests', name), 'utf8')),
  );
}

function versionProblems(texts: readonly string[], version: string): readonly string[] {
  const versions = texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
    .filter(({ kind }: { kind?: string }) => kind === 'ClusterServiceVersion')
    .map(({ spec }: { spec?: { version?: string } }) => spec?.version);
  if (versions.length !== 1) return [`it has ${versions.length} ClusterServiceVersions, not one`];
  return versions[0] === version ? [] : [`its version is ${versions[0]}, not ${version}`];
}

/** Every `image:` of a manifest that is not pinned. */
function imagesIn(text: string): readonly string[] {
  const images: string[] = [];
  for (const document of parseAllDocuments(text)) {
    visit(document, {
      Pair(_, pair) {
        const { key, value } = pair as { key: { value?: unknown }; value: { value?: unknown } };
        if (key.value === 'image' && typeof value?.value === 'string') images.push(value.value);
      },
    });
  }
  return images.flatMap(unpinned);
}

function unpinned(image: string): readonly string[] {
  return /@sha256:[0-9a-f]{64}$/.test(image) ? [] : [`${image} is not pinned by a digest`];
}
