/** Makes everything that a release publishes, in one folder, and collects what speaks against it. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packPackage } from './artifacts/archives.ts';
import { type BillOfMaterials, billOfMaterials } from './artifacts/bill-of-materials.ts';
import { IMAGES } from './artifacts/image-declarations.ts';
import { type Built, buildImages } from './artifacts/images.ts';
import { type AttachOptions, attachBundle, attachChart } from './artifacts/operator-packages.ts';
import { pinRefusals } from './checks/all-pins.ts';
import { releaseNotes } from './checks/changelog.ts';
import { checkoutRefusals, commitTime } from './checks/checkout.ts';
import { apiRefusals, generatedRefusals } from './checks/current.ts';
import { licenseRefusals } from './checks/licenses.ts';
import { manifestRefusals } from './checks/manifests.ts';
import { versionRefusals } from './checks/versions.ts';
import { type PublishedPackage, readPackages } from './packages.ts';
import { type Publication, type PublishedArchive, SUMS } from './publish.ts';
import { type Refusal, Refusals } from './refusal.ts';

export interface PrepareOptions {
  /** Of the repository. */
  readonly root: string;
  /** Where everything goes. What is there is removed first. */
  readonly folder: string;
  /** `HOST/PATH` of the images; undefined when nobody has named one. */
  readonly registry: string | undefined;
  readonly isDryRun: boolean;
  /** Without them, the images are refused. */
  readonly hasImages: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** Hears what is done next. */
  readonly tell: (step: string) => void;
}

export interface Prepared {
  readonly refusals: Refusals;
  readonly publication: Publication;
}

const NONE_BUILT: Built = { images: [], refusals: [] };

export async function prepare(options: PrepareOptions): Promise<Prepared> {
  const { root, folder, registry, tell } = options;
  const refusals = new Refusals();
  const packages = readPackages(root);
  const version = packages[0]?.manifest.version ?? '';
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  tell('checks');
  await checkSources(options, packages, refusals);
  tell('packages');
  const archives = await pack(folder, packages, refusals);
  tell('bills of materials');
  const bills = await writeBills(root, folder, packages, refusals);
  tell('images');
  const built = await refusals.guard('images', NONE_BUILT, () =>
    options.hasImages
      ? buildImages({ root, folder, mayStandIn: options.isDryRun, env: options.env })
      : { images: [], refusals: ['not built, because of --no-images'] },
  );
  refusals.add('images', built.refusals);
  await writeFile(join(folder, 'images.json'), `${JSON.stringify(built.images, null, 2)}\n`);
  tell('chart and bundle');
  const attached = await attach(
    { root, folder, version, registry, images: built.images },
    refusals,
  );
  if (registry === undefined) {
    refusals.add('registry', ['no registry of images is named: --registry HOST/PATH']);
  }

  const attachments = ['images.json', ...archives.map(({ file }) => file), ...bills, ...attached];
  await writeSums(folder, attachments);
  const publication = {
    ...{ folder, version, images: built.images, packages: archives, attachments },
    registry: registry ?? 'REGISTRY',
  };
  return { refusals, publication };
}

async function checkSources(
  { root, folder, env }: PrepareOptions,
  packages: readonly PublishedPackage[],
  refusals: Refusals,
): Promise<void> {
  const text = (file: string): Promise<string> => readFile(join(root, file), 'utf8');
  const check = async (
    name: Refusal['check'],
    make: () => readonly string[] | Promise<readonly string[]>,
  ): Promise<void> => refusals.add(name, await refusals.guard(name, [], make));

  const tag = env.GITHUB_REF_TYPE === 'tag' ? env.GITHUB_REF_NAME : undefined;
  await check('manifests', () => manifestRefusals(packages, env.GITHUB_REPOSITORY));
  await check('versions', async () =>
    versionRefusals({ packages, lock: await text('package-lock.json'), tag }),
  );
  await check('changelog', async () => {
    const version = packages[0]?.manifest.version ?? '';
    const notes = releaseNotes(await text('CHANGELOG.md'), version);
    await writeFile(join(folder, 'NOTES.md'), `${notes.text}\n`);
    return notes.refusals;
  });
  await check('checkout', () => checkoutRefusals(root));
  await check('pins', () => pinRefusals(root, new Set(IMAGES.map(({ name }) => name))));
  await check('api', () => apiRefusals(root));
  await check('generated', () => generatedRefusals(root));
}

async function pack(
  folder: string,
  packages: readonly PublishedPackage[],
  refusals: Refusals,
): Promise<readonly PublishedArchive[]> {
  const archives: PublishedArchive[] = [];
  for (const each of packages) {
    const packed = await refusals.guard('packages', undefined, () =>
      packPackage(each, join(folder, 'packages')),
    );
    if (packed === undefined) continue;
    const { name } = each.manifest;
    const file = `packages/${packed.archive}`;
    const hash = createHash('sha512').update(await readFile(join(folder, file)));
    archives.push({ file, name, integrity: `sha512-${hash.digest('base64')}` });
    const problems = packed.problems.map((problem) => `${name}: ${problem}`);
    refusals.add('packages', problems);
  }
  return archives;
}

async function writeBills(
  root: string,
  folder: string,
  packages: readonly PublishedPackage[],
  refusals: Refusals,
): Promise<readonly string[]> {
  await mkdir(join(folder, 'sbom'), { recursive: true });
  const time = await refusals.guard('checkout', new Date(0), () => commitTime(root));
  const files: string[] = [];
  const bills: BillOfMaterials[] = [];
  for (const each of packages) {
    const bill = await refusals.guard('sbom', undefined, () =>
      billOfMaterials(root, each, packages, time),
    );
    if (bill === undefined) continue;
    const file = `sbom/${each.manifest.name.replace('@', '').replace('/', '-')}.cdx.json`;
    await writeFile(join(folder, file), `${JSON.stringify(bill, null, 2)}\n`);
    files.push(file);
    bills.push(bill);
  }
  refusals.add('licences', await refusals.guard('licences', [], () => licenseRefusals(bills)));
  return files;
}

/** @returns the archives that could be made. */
async function attach(options: AttachOptions, refusals: Refusals): Promise<readonly string[]> {
  const makers = [
    ['chart', attachChart],
    ['bundle', attachBundle],
  ] as const;
  const archives: string[] = [];
  for (const [check, make] of makers) {
    const made = await refusals.guard(check, undefined, () => make(options));
    if (made === undefined) continue;
    archives.push(made.archive);
    refusals.add(check, made.problems);
  }
  return archives;
}

/** What `sha256sum --check` reads. */
async function writeSums(folder: string, files: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const file of files.toSorted()) {
    const bytes = await readFile(join(folder, file));
    lines.push(`${createHash('sha256').update(bytes).digest('hex')}  ${file}\n`);
  }
  await writeFile(join(folder, SUMS), lines.join(''));
}
