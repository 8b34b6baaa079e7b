/** A software bill of materials (CycloneDX) of one package and everything that it installs. `npm sbom` writes it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Manifest, type PublishedPackage, productionDependencies } from '../packages.ts';

const run = promisify(execFile);

export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

/** The parts of a CycloneDX document that are read or changed here. */
export interface BillOfMaterials {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
}

type Locked = Partial<Manifest> & { readonly link?: boolean; readonly dev?: boolean };
interface Lock {
  readonly packages: Readonly<Record<string, Locked | undefined>>;
}

/**
 * @param time - what the document says about when it was made. Equal inputs and an equal time give an equal
 *   document: its serial number is derived from its content.
 */
export async function billOfMaterials(
  root: string,
  { folder, manifest }: PublishedPackage,
  packages: readonly PublishedPackage[],
  time: Date,
): Promise<BillOfMaterials> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const temporary = await mkdtemp(join(tmpdir(), 'chancery-sbom-'));
  try {
    const alone = lockOf(manifest, folder, packages, lock);
    await mkdir(temporary, { recursive: true });
    await writeFile(join(temporary, 'package.json'), JSON.stringify(alone.packages['']));
    await writeFile(join(temporary, 'package-lock.json'), JSON.stringify(alone));
    const flags = ['--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx'];
    const { stdout } = await run('npm', ['sbom', ...flags, '--sbom-type=library'], {
      cwd: temporary,
      maxBuffer: 1 << 26,
    });
    return repeatable(JSON.parse(stdout) as BillOfMaterials, manifest.name, time);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** npm names the document after its folder, and gives every run another number and time. */
function repeatable(bill: BillOfMaterials, name: string, time: Date): BillOfMaterials {
  const component = { ...bill.metadata.component, name };
  const content = {
    ...bill,
    serialNumber: '',
    metadata: { ...bill.metadata, timestamp: time.toISOString(), component },
  };
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return { ...content, serialNumber: `urn:uuid:${parts.join('-')}-${hex.slice(20, 32)}` };
}

/**
 * The lock file of a project that has this package alone. In the repository's own lock all workspaces are
 * one project, and `npm sbom` lists the packages of all of them for each.
 */
function lockOf(
  manifest: Manifest,
  folder: string,
  packages: readonly PublishedPackage[],
  lock: Lock,
): { readonly packages: Readonly<Record<string, Locked>> } {
  const own = new Map(packages.map((each) => [each.manifest.name, each]));
  const found: Record<string, Locked> = {};
  const visit = (of: Locked, from: string): void => {
    for (const name of Object.keys(productionDependencies(of))) {
      const sibling = own.get(name);
      const path = sibling === undefined ? resolved(name, from, lock) : `node_modules/${name}`;
      const entry = sibling === undefined ? lock.packages[path] : published(sibling.manifest);
      if (entry === undefined)
        throw new Error(`package-lock.json has no ${name} for ${from || '.'}`);
      if (found[path] !== undefined) continue;
      const { dev: _, ...kept } = entry;
      found[path] = kept;
      visit(entry, sibling === undefined ? path : sibling.folder);
    }
  };
  visit(manifest, folder);
  const { name, version } = manifest;
  const all = { '': { name, ...published(manifest) }, ...found };
  return { ...{ name, version, lockfileVersion: 3, requires: true }, packages: all };
}

/** What of a manifest of ours is in the lock file of a project that installs the package. */
function published({ version, license, dependencies, optionalDependencies }: Manifest): Locked {
  return {
    version,
    ...(license !== undefined && { license }),
    ...(dependencies !== undefined && { dependencies }),
    ...(optionalDependencies !== undefined && { optionalDependencies }),
  };
}

/** Where Node finds a package: in the nearest `node_modules` upwards from `from`. */
function resolved(name: string, from: string, lock: Lock): string {
  let place = from === '.' ? '' : from;
  for (;;) {
    const path = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`;
    if (place === '' || lock.packages[path] !== undefined) return path;
    const above = place.lastIndexOf('/node_modules/');
    place = above < 0 ? '' : place.slice(0, above);
  }
}
