import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { nearMatches } from '../../client/near-match.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { parseYaml } from '../../core/yaml.ts';
import type { Maintainer, PackageMetadata } from '../../generate/package-metadata.ts';
import type { Declaring } from '../declarations/declaring.ts';
import { projectOf } from './project.ts';

/** Where metadata come from. */
export interface MetadataSources {
  /** Wins over every file. */
  readonly version?: string | undefined;
  /** A YAML or JSON file with the fields of `PackageMetadata`. It wins over package.json. */
  readonly file?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * What the command line, the file of `--metadata` and the project's package.json say about the operator: the
 * version, the texts and the addresses of package.json, and its block `"chancery": {"package": {...}}`.
 *
 * @throws ConfigurationError `CONFIG` for a file that cannot be read, a field that is not known or has another type,
 *   and when nothing says the version.
 */
export async function packageMetadata(
  declaring: Declaring,
  { version, file }: MetadataSources,
): Promise<PackageMetadata> {
  const project = declaring.from === 'modules' ? await projectOf(declaring.modules) : undefined;
  const manifest = project === undefined ? undefined : join(project.folder, 'package.json');
  const known = {
    ...(manifest !== undefined && (await fromPackageJson(manifest))),
    ...(file !== undefined && (await fieldsOf(file))),
    ...(version !== undefined && { version }),
  };
  if (known.version !== undefined) return known as PackageMetadata;
  throw new ConfigurationError(
    'the version of the operator is not known: give --version, or the version in package.json',
  );
}

async function fromPackageJson(path: string): Promise<Partial<PackageMetadata>> {
  const manifest = (await read(path)) as Fields;
  const { version, description, homepage, license, keywords } = manifest;
  const given = { version, description, homepage, license, keywords };
  const maintainers = [manifest.author, ...listOf(manifest.contributors)].flatMap(personOf);
  const repository = urlOf(manifest.repository);
  const block = (manifest.chancery as { readonly package?: unknown } | undefined)?.package;
  return {
    ...(await checked(path, withoutAbsent(given))),
    ...(maintainers.length > 0 && { maintainers }),
    ...(repository !== undefined && { repository }),
    ...(block !== undefined && (await checked(path, block))),
  };
}

async function fieldsOf(path: string): Promise<Partial<PackageMetadata>> {
  return await checked(path, await read(path));
}

async function read(path: string): Promise<unknown> {
  try {
    return parseYaml(await readFile(path, 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isNamed = (value: unknown): boolean =>
  isFields(value) && isText(value.name) && Object.values(value).every(isText);
const isNamedList = (value: unknown): boolean => Array.isArray(value) && value.every(isNamed);

/** Three numbers, and what may follow them; https://semver.org without a leading `v`. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** What each field must be, in words and as a check. */
const FIELDS: Readonly<
  Record<keyof PackageMetadata, readonly [string, (value: unknown) => boolean]>
> = {
  version: ['a version such as 1.2.3', (value) => isText(value) && SEMVER.test(String(value))],
  displayName: ['a text', isText],
  description: ['a text', isText],
  details: ['a text', isText],
  keywords: ['a list of texts', isTexts],
  maintainers: ['a list of {name, email}', isNamedList],
  provider: ['{name, url}', isNamed],
  homepage: ['a text', isText],
  repository: ['a text', isText],
  links: ['a list of {name, url}', isNamedList],
  license: ['a text', isText],
  icon: ['the path of an image: .svg, .png, .jpg or .gif', isText],
  categories: ['a list of texts', isTexts],
  artifactHubCategory: ['a text', isText],
  capabilities: ['a text', isText],
  minKubeVersion: ['a version such as 1.30.0', (value) => /^\d+\.\d+\.\d+$/.test(String(value))],
  maturity: ['a text', isText],
};

async function checked(path: string, value: unknown): Promise<Partial<PackageMetadata>> {
  if (!isFields(value)) throw new ConfigurationError(`${path}: expected fields such as version`);
  for (const [name, field] of Object.entries(value)) {
    const known = FIELDS[name as keyof PackageMetadata];
    if (known === undefined) {
      const near = nearMatches(name, Object.keys(FIELDS));
      const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'it is not known';
      throw new ConfigurationError(`${path}: field ${JSON.stringify(name)}: ${hint}`);
    }
    const [wanted, holds] = known;
    if (!holds(field)) throw new ConfigurationError(`${path}: ${name} must be ${wanted}`);
  }
  const { icon, ...others } = value;
  const image = icon === undefined ? {} : { icon: await iconAt(join(dirname(path), String(icon))) };
  return { ...others, ...image };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Catalogs are lists of such packages, and each has the whole image in its text. */
const MAX_ICON_BYTES = 100_000;

async function iconAt(path: string): Promise<NonNullable<PackageMetadata['icon']>> {
  const mediatype = MEDIA_TYPES[extname(path).toLowerCase()];
  if (mediatype === undefined) {
    throw new ConfigurationError(`${path}: an icon is a .svg, .png, .jpg or .gif`);
  }
  const data = await readFile(path).catch((error: unknown) => {
    throw new ConfigurationError(`cannot read the icon: ${messageOf(error)}`, { cause: error });
  });
  if (data.length > MAX_ICON_BYTES) {
    throw new ConfigurationError(
      `${path} has ${data.length} bytes, and an icon may have ${MAX_ICON_BYTES}`,
    );
  }
  return { base64data: data.toString('base64'), mediatype };
}

/** A person of package.json: `{name, email}` or `Name <email> (url)`. */
function personOf(value: unknown): readonly Maintainer[] {
  if (isFields(value)) {
    const { name, email } = value;
    if (typeof name !== 'string') return [];
    return [{ name, ...(typeof email === 'string' && { email }) }];
  }
  const found =
    typeof value === 'string' ? /^([^<(]+?)\s*(?:<([^>]*)>)?\s*(?:\(.*\))?$/.exec(value) : null;
  if (found?.[1] === undefined) return [];
  return [{ name: found[1], ...(found[2] !== undefined && { email: found[2] }) }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** npm writes `git+https://host/path.git`. Its short forms name no host, so they are left out. */
function urlOf(repository: unknown): string | undefined {
  const url = isFields(repository) ? repository.url : repository;
  if (typeof url !== 'string') return undefined;
  const plain = url.replace(/^git\+/, '').replace(/\.git$/, '');
  return /^https?:\/\//.test(plain) ? plain : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutAbsent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
