import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { isDefinition } from '../../../generate/crd-check/definition.ts';
import { isMapping, type Mapping } from '../../../generate/crd-check/schema.ts';
import { readManifests } from '../../manifest-files.ts';
import { type ExistingKind, existingKind, existingNames } from './existing-kind.ts';

/** The kinds that a project gets controllers for, and what was left out, each with the reason. */
export interface ExistingKinds {
  readonly kinds: readonly [ExistingKind, ...ExistingKind[]];
  readonly leftOut: readonly string[];
}

/** Where controller-gen writes the definitions of a Go project. */
const BASES = 'config/crd/bases';

/**
 * The kinds of a project of kubebuilder. Where `make manifests` has written the definition of a kind, the
 * kind has it.
 *
 * @param path - of PROJECT, or of its folder.
 * @throws ConfigurationError `CONFIG` when PROJECT or a definition cannot be read, or has no kind.
 */
export async function projectKinds(path: string, stdin: Readable): Promise<ExistingKinds> {
  const folder = basename(path) === 'PROJECT' ? dirname(path) : path;
  const file = join(folder, 'PROJECT');
  const [document] = await readManifests([file], stdin, '--from ');
  const project = document?.value;
  if (!isMapping(project)) throw new ConfigurationError(`--from ${file} is no PROJECT file`);
  if (project.version !== '3') {
    const given = JSON.stringify(project.version) ?? 'none';
    throw new ConfigurationError(`--from ${file} has version ${given}; only "3" can be read`);
  }
  const resources: readonly unknown[] = Array.isArray(project.resources) ? project.resources : [];
  const definitions = await definitionsIn(join(folder, BASES), stdin);
  return collected(
    resources.map((resource) => () => kindOf(resource, definitions)),
    file,
  );
}

/**
 * The kinds of the CustomResourceDefinitions in files or folders. Other objects are left out.
 *
 * @throws ConfigurationError `CONFIG` when a file cannot be read, or there is no kind.
 */
export async function definitionKinds(
  paths: readonly string[],
  stdin: Readable,
): Promise<ExistingKinds> {
  const documents = await readManifests(paths, stdin, '--from-crd ');
  const values = documents.flatMap(({ value }) =>
    isMapping(value) && Array.isArray(value.items) ? (value.items as readonly unknown[]) : [value],
  );
  return collected(
    values.filter(isDefinition).map((value) => () => existingKind(value)),
    paths.join(', '),
  );
}

/** One kind that cannot be read leaves the others. */
function collected(reads: readonly (() => ExistingKind | string)[], from: string): ExistingKinds {
  const kinds: ExistingKind[] = [];
  const leftOut: string[] = [];
  for (const read of reads) {
    try {
      const kind = read();
      if (typeof kind === 'string') leftOut.push(kind);
      else add(kinds, kind, leftOut);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      leftOut.push(messageOf(error));
    }
  }
  const [first, ...others] = kinds;
  if (first !== undefined) return { kinds: [first, ...others], leftOut };
  const why = leftOut.length === 0 ? '' : `: ${leftOut.join('; ')}`;
  throw new ConfigurationError(`${from} has no kind for a new project${why}`);
}

/** Files and constants have the names of kinds. PROJECT lists each version of a kind by itself. */
function add(kinds: ExistingKind[], { names, ...rest }: ExistingKind, leftOut: string[]): void {
  const at = kinds.findIndex(({ names: { dashed } }) => dashed === names.dashed);
  const before = kinds[at]?.names;
  if (before === undefined) kinds.push({ names, ...rest });
  else if (before.group !== names.group) {
    leftOut.push(`${names.kind} of ${names.group}: another kind has this name, of ${before.group}`);
  } else if (rest.definition === undefined) kinds[at] = { names, ...rest };
}

/** The kind of an entry of PROJECT, or why a project cannot have it. */
function kindOf(
  resource: unknown,
  definitions: readonly {
    readonly group: string;
    readonly kind: string;
    readonly value: Mapping;
  }[],
): ExistingKind | string {
  if (!isMapping(resource)) return 'an entry of resources that is no mapping';
  const { group: short, domain, version, kind, plural, api, core, external } = resource;
  const group = [short, domain].filter((part) => typeof part === 'string' && part !== '').join('.');
  if (core === true || external === true) {
    return `${kind} of ${group || 'the core group'}: its definition is not part of the project`;
  }
  const found = definitions.find((each) => each.group === group && each.kind === kind);
  if (found !== undefined) return existingKind(found.value);
  return {
    names: existingNames(group, version, kind, plural),
    isNamespaced: isMapping(api) && api.namespaced === true,
    definition: undefined,
  };
}

async function definitionsIn(
  folder: string,
  stdin: Readable,
): Promise<readonly { readonly group: string; readonly kind: string; readonly value: Mapping }[]> {
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const documents = isThere ? await readManifests([folder], stdin, '--from ') : [];
  return documents.flatMap(({ value }) => {
    if (!isDefinition(value) || !isMapping(value.spec)) return [];
    const { group, names } = value.spec;
    const kind = isMapping(names) ? names.kind : undefined;
    return [{ group: String(group), kind: String(kind), value }];
  });
}
