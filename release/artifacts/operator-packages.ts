/**
 * The chart and the bundle that are attached: those of the example that is meant to be installed as it is, generated
 * with the digests of the images that this release has built. The committed ones name the images by their tags.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseAllDocuments, parseDocument, visit } from 'yaml';
import { packageOf } from '../../examples/trees.ts';
import { output } from '../program.ts';
import { packFolder } from './archives.ts';
import type { ReleasedImage } from './images.ts';

/** Whose chart and bundle they are. */
export const EXAMPLE = 'reloader';

export interface AttachOptions {
  readonly root: string;
  /** Of the release. */
  readonly folder: string;
  readonly version: string;
  /** `HOST/PATH` of the images; undefined when nobody has named one. */
  readonly registry: string | undefined;
  /** Those that were built. */
  readonly images: readonly ReleasedImage[];
}

export interface Attached {
  /** From the folder of the release. */
  readonly archive: string;
  readonly problems: readonly string[];
}

export async function attachChart(options: AttachOptions): Promise<Attached> {
  return attached('chart', options, `${EXAMPLE}-${options.version}.tgz`, EXAMPLE, async (made) => {
    const chart = parseDocument(await readFile(join(made, 'Chart.yaml'), 'utf8')).toJS() as Chart;
    return { version: chart.version, images: imagesOfChart(chart) };
  });
}

export async function attachBundle(options: AttachOptions): Promise<Attached> {
  const name = `${EXAMPLE}-bundle`;
  return attached('bundle', options, `${name}-${options.version}.tgz`, name, async (made) => {
    const texts = await manifestsIn(made);
    return { version: versionOfBundle(texts), images: texts.flatMap(imagesIn) };
  });
}

interface Contents {
  readonly version: string | undefined;
  readonly images: readonly string[];
}

async function attached(
  what: 'chart' | 'bundle',
  { root, folder, version, registry, images }: AttachOptions,
  archive: string,
  name: string,
  read: (made: string) => Promise<Contents>,
): Promise<Attached> {
  const made = await mkdtemp(join(tmpdir(), `chancery-${what}-`));
  try {
    const named = (image: string): string => reference(image, registry, images);
    const words = packageOf(what, EXAMPLE, {
      output: made,
      operatorImage: named(`${EXAMPLE}-operator`),
    });
    const own = ['--ambassador-image', named('chancery-proxy'), '--command', 'npm run release'];
    const args = ['--conditions=chancery-source', 'operator/cli/main.ts', 'generate'];
    await output(process.execPath, [...args, ...words, ...own], { cwd: root });
    await packFolder(made, join(folder, archive), name);
    return { archive, problems: problemsOf(await read(made), version) };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** The name of an image that was built, with its digest; its tag for one that was not. */
function reference(
  name: string,
  registry: string | undefined,
  images: readonly ReleasedImage[],
): string {
  const full = registry === undefined ? name : `${registry}/${name}`;
  const built = images.find((image) => image.name === name);
  return built === undefined ? full : `${full}@${built.digest}`;
}

function problemsOf(contents: Contents, version: string): readonly string[] {
  return [
    ...(contents.version === version
      ? []
      : [`examples/${EXAMPLE}/package.yaml has version ${contents.version}, not ${version}`]),
    ...[...new Set(contents.images)]
      .filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))
      .map((image) => `${image} is not pinned by a digest`),
  ];
}

interface Chart {
  readonly version?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a chart tells Artifact Hub of its images. */
function imagesOfChart({ annotations = {} }: Chart): readonly string[] {
  const list: unknown = parseDocument(annotations['artifacthub.io/images'] ?? '').toJS();
  if (!Array.isArray(list) || list.length === 0) throw new Error('Chart.yaml names no image');
  return list.flatMap(({ image }: { image?: unknown }) => (typeof image === 'string' ? image : []));
}

/** Those of the operator, and what tests the bundle in a cluster. */
async function manifestsIn(bundle: string): Promise<readonly string[]> {
  const names = await readdir(bundle, { recursive: true });
  return Promise.all(
    names
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted()
      .map((name) => readFile(join(bundle, name), 'utf8')),
  );
}

function versionOfBundle(texts: readonly string[]): string | undefined {
  return texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
    .filter(({ kind }: { kind?: string }) => kind === 'ClusterServiceVersion')
    .map(({ spec }: { spec?: { version?: string } }) => spec?.version)[0];
}

/** Every `image:` of a manifest. */
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
  return images;
}
