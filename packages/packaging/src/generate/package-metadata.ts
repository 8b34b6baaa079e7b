import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { ConfigurationError, messageOf } from 'chancery';
import { type Declaring, isMapping, nearMatches, projectOf } from 'chancery/internal';
import { parseYaml } from 'chancery/low-level';
import type { Maintainer, PackageMetadata } from '../metadata.ts';

/** The sources of the metadata of a package. */
export interface MetadataSources {
  /** The version. It overrides the version in every file. */
  readonly version?: string | undefined;
  /** A YAML or JSON file with the fields of `PackageMetadata`. It overrides package.json. */
  readonly file?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The metadata of the operator from the command line, the file of `--metadata`, and the project's
 * package.json. From package.json, the version, the description, the people and the addresses are
 * used, and the block `"chancery": {"package": {...}}`.
 *
 * @throws ConfigurationError `CONFIG` when a file cannot be read, when a field is not known or has
 * another type, and when there is no version.
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
  const manifest = await read(path);
  if (!isMapping(manifest))
    throw new ConfigurationError(`${path}: expected fields such as version`);
  const { version, description, homepage, license, keywords } = manifest;
  const maintainers = [manifest.author, ...listOf(manifest.contributors)].flatMap(personOf);
  const people = maintainers.length > 0 ? maintainers : undefined;
  const repository = urlOf(manifest.repository);
  const given = { version, description, homepage, license, keywords, repository };
  const block = (manifest.chancery as { readonly package?: unknown } | undefined)?.package;
  return {
    ...(await checked(path, withoutAbsent({ ...given, maintainers: people }))),
    ...(block !== undefined && (await checked(path, block))),
  };
}

async function fieldsOf(path: string): Promise<Partial<PackageMetadata>> {
  return await checked(path, await read(path));
}

/** Maximum size of a file in bytes. The whole metadata of a package is much smaller. */
const MAX_BYTES = 1_048_576;

async function read(path: string): Promise<unknown> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, and may have ${MAX_BYTES}`);
    return parseYaml(await readFile(path, 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Maximum length of a text that catalogs show in one line. */
const MAX_LINE = 4096;
/** Maximum length of a text with several paragraphs. */
const MAX_DETAILS = 65_536;
const MAX_ITEMS = 200;

/**
 * True for one line of text. Control characters are refused, because a text with them could be
 * shown as several lines.
 */
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MAX_LINE && /^[^\p{Cc}\u2028\u2029]+$/u.test(value);
const isDetails = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_DETAILS;
const isUrl = (value: unknown): boolean =>
  isText(value) && /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(String(value));
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= MAX_ITEMS && value.every(isItem);
const isTexts = (value: unknown): boolean => isList(value, isText);

/** A check for an object that has only these fields. The first field is required. */
const fieldsLike =
  (kinds: Readonly<Record<string, (value: unknown) => boolean>>) =>
  (value: unknown): boolean => {
    const [first = ''] = Object.keys(kinds);
    if (!isMapping(value) || !Object.hasOwn(value, first)) return false;
    return Object.entries(value).every(
      ([name, each]) => Object.hasOwn(kinds, name) && kinds[name]?.(each) === true,
    );
  };
const isPerson = fieldsLike({ name: isText, email: isText });
const isProvider = fieldsLike({ name: isText, url: isUrl });
const isLink = (value: unknown): boolean =>
  isProvider(value) && Object.hasOwn(value as object, 'url');

/** Three numbers with optional suffixes: https://semver.org without a leading `v`. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** The expected value of each field, as a description and as a check. */
const FIELDS: Readonly<
  Record<keyof PackageMetadata, readonly [string, (value: unknown) => boolean]>
> = {
  version: ['a version such as 1.2.3', (value) => isText(value) && SEMVER.test(String(value))],
  displayName: ['a string of one line', isText],
  description: ['a string of one line', isText],
  details: [`a string of at most ${MAX_DETAILS} characters`, isDetails],
  keywords: ['a list of texts', isTexts],
  maintainers: ['a list of {name, email}', (value) => isList(value, isPerson)],
  provider: ['{name, url}', isProvider],
  homepage: ['a URL such as https://example.com', isUrl],
  repository: ['a URL such as https://example.com', isUrl],
  links: ['a list of {name, url}', (value) => isList(value, isLink)],
  license: ['a string of one line', isText],
  icon: ['the path of an image: .svg, .png, .jpg or .gif', isText],
  categories: ['a list of texts', isTexts],
  artifactHubCategory: ['a string of one line', isText],
  capabilities: ['a string of one line', isText],
  minKubeVersion: [
    'a version such as 1.30.0',
    (value) => isText(value) && /^\d+\.\d+\.\d+$/.test(String(value)),
  ],
  maturity: ['a string of one line', isText],
};

async function checked(path: string, given: unknown): Promise<Partial<PackageMetadata>> {
  if (!isMapping(given)) throw new ConfigurationError(`${path}: expected fields such as version`);
  const value = Object.fromEntries(Object.entries(given).map(trimmed));
  for (const [name, field] of Object.entries(value)) {
    if (!Object.hasOwn(FIELDS, name)) {
      const near = nearMatches(name, Object.keys(FIELDS));
      const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'it is not known';
      throw new ConfigurationError(`${path}: field ${JSON.stringify(name)}: ${hint}`);
    }
    const [wanted, holds] = FIELDS[name as keyof PackageMetadata];
    if (!holds(field)) throw new ConfigurationError(`${path}: ${name} must be ${wanted}`);
  }
  const { icon, ...others } = value;
  const image = icon === undefined ? {} : { icon: await iconAt(join(dirname(path), String(icon))) };
  return { ...others, ...image };
}

/** Removes the line break that YAML's folded strings have at the end. */
function trimmed([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [name, typeof value === 'string' && name !== 'details' ? value.trim() : value];
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Maximum size of an icon. A catalog lists many packages, and each contains its whole icon. */
const MAX_ICON_BYTES = 100_000;

async function iconAt(path: string): Promise<NonNullable<PackageMetadata['icon']>> {
  const mediatype = MEDIA_TYPES[extname(path).toLowerCase()];
  if (mediatype === undefined) {
    throw new ConfigurationError(`${path}: an icon is a .svg, .png, .jpg or .gif`);
  }
  const unreadable = (error: unknown): never => {
    throw new ConfigurationError(`cannot read the icon: ${messageOf(error)}`, { cause: error });
  };
  const { size } = await stat(path).catch(unreadable);
  if (size > MAX_ICON_BYTES) {
    throw new ConfigurationError(
      `${path} has ${size} bytes, and an icon may have ${MAX_ICON_BYTES}`,
    );
  }
  const data = await readFile(path).catch(unreadable);
  return { base64data: data.toString('base64'), mediatype };
}

/** A person in package.json: `{name, email}` or `Name <email> (url)`. */
function personOf(value: unknown): readonly Maintainer[] {
  if (isMapping(value)) {
    const { name, email } = value;
    if (typeof name !== 'string') return [];
    return [{ name, ...(typeof email === 'string' && { email }) }];
  }
  const found =
    typeof value === 'string' && value.length <= MAX_LINE
      ? /^([^<(]+?)\s*(?:<([^>]*)>)?\s*(?:\(.*\))?$/.exec(value)
      : null;
  if (found?.[1] === undefined) return [];
  return [{ name: found[1], ...(found[2] !== undefined && { email: found[2] }) }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The URL of a repository. npm writes `git+https://host/path.git`. npm's shorthands are ignored,
 * because they do not contain a host.
 */
function urlOf(repository: unknown): string | undefined {
  const url = isMapping(repository) ? repository.url : repository;
  if (typeof url !== 'string') return undefined;
  const plain = url.replace(/^git\+/, '').replace(/\.git$/, '');
  return /^https?:\/\//.test(plain) ? plain : undefined;
}

/** Drops missing fields. `npm init` writes an empty string for a field without an answer. */
function withoutAbsent(fields: Fields): Fields {
  const isThere = (value: unknown): boolean => value !== undefined && value !== '';
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isThere(value)));
}
