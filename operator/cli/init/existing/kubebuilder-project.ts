import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { isMapping, type Mapping } from '../../../core/mapping.ts';
import { isDefinition } from '../../../schema/definition.ts';
import { kindNames } from '../../create/names.ts';
import { isManifestName, manifestItems, readManifests } from '../../files/manifest-files.ts';
import { namesIn } from '../../files/new-files.ts';
import { collectedKinds, type ExistingKinds } from './collected-kinds.ts';
import { type ExistingKind, existingKind } from './existing-kind.ts';

/** The folder in which controller-gen writes the definitions of a Go project. */
const BASES = 'config/crd/bases';

/** A definition of the Go project. Its content is only read when PROJECT lists its kind. */
interface Base {
  readonly group: string;
  readonly kind: string;
  readonly value: Mapping;
}

/**
 * The kinds of a kubebuilder project. A kind has a definition if `make manifests` has written it.
 *
 * @param path - the path of PROJECT, or of its folder.
 * @throws ConfigurationError `CONFIG` when PROJECT or a definition cannot be read, or when there is
 * no kind.
 */
export async function projectKinds(path: string, stdin: Readable): Promise<ExistingKinds> {
  const isFile = await is(path, 'file');
  const [folder, file] = isFile ? [dirname(path), path] : [path, join(path, 'PROJECT')];
  const [document] = await readManifests([file], stdin, '--from ');
  const resources = resourcesIn(document?.value, file);
  const bases = await basesIn(join(folder, BASES), stdin);
  const listed = new Set(resources.map((resource) => identity(groupOf(resource), resource.kind)));
  const found = collectedKinds(
    [
      ...resources.map((resource) => () => kindOf(resource, bases)),
      ...bases
        .filter(({ group, kind }) => !listed.has(identity(group, kind)))
        .map(
          (base) => () => `${base.kind} of ${base.group}: it is in ${BASES}, and not in PROJECT`,
        ),
    ],
    `--from ${file}`,
  );
  const without = found.kinds.filter(({ definition }) => definition === undefined);
  const notes = without.map(
    ({ names }) =>
      `${names.kind} of ${names.group} has no definition in ${BASES}: complete its schema and check its ` +
      `plural, ${names.plural}; or run make manifests there, and then this command again`,
  );
  return { ...found, notes: [...found.notes, ...notes] };
}

function resourcesIn(project: unknown, file: string): readonly Mapping[] {
  if (!isMapping(project)) throw new ConfigurationError(`--from ${file} is no PROJECT file`);
  if (project.version !== '3') {
    const given = JSON.stringify(project.version) ?? 'none';
    throw new ConfigurationError(`--from ${file} has version ${given}; only "3" can be read`);
  }
  const { resources = [] } = project;
  if (Array.isArray(resources) && resources.every(isMapping)) return resources;
  throw new ConfigurationError(`--from ${file}: resources must be a list of mappings`);
}

function groupOf({ group, domain }: Mapping): string {
  return [group, domain].filter((part) => typeof part === 'string' && part !== '').join('.');
}

function identity(group: string, kind: unknown): string {
  return JSON.stringify([group, kind]);
}

/** The kind of an entry in PROJECT, or the reason why a project cannot use it. */
function kindOf(resource: Mapping, bases: readonly Base[]): ExistingKind | string {
  const { version, kind, plural, api, path } = resource;
  const group = groupOf(resource);
  const what = `${String(kind)} of ${group || 'the core group'}`;
  const isOfKubernetes =
    resource.core === true || (typeof path === 'string' && path.startsWith('k8s.io/api/'));
  if (isOfKubernetes || resource.external === true) {
    const owner = isOfKubernetes ? 'Kubernetes' : 'another project';
    return `${what}: its definition belongs to ${owner}; a controller can watch it as a further source`;
  }
  const base = bases.find((each) => each.group === group && each.kind === kind);
  if (base !== undefined) return existingKind(base.value);
  if (!isMapping(api)) return `${what}: PROJECT lists its controller and no API`;
  try {
    return {
      names: kindNames({
        group,
        version: String(version),
        kind: String(kind),
        plural: typeof plural === 'string' && plural !== '' ? plural : undefined,
      }),
      isNamespaced: api.namespaced === true,
      definition: undefined,
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const message = messageOf(error).replaceAll(/--(?=group|version|kind|plural)/g, '');
    throw new ConfigurationError(`${what}: ${message}`, { cause: error });
  }
}

async function basesIn(folder: string, stdin: Readable): Promise<readonly Base[]> {
  const names = (await is(folder, 'folder')) ? await namesIn(folder) : [];
  if (!names.some((name) => isManifestName(name))) return [];
  const documents = await readManifests([folder], stdin, '--from ');
  return documents.flatMap(manifestItems).flatMap(({ value }) => {
    if (!isDefinition(value) || !isMapping(value.spec)) return [];
    const { group, names } = value.spec;
    const kind = isMapping(names) ? names.kind : undefined;
    return [{ group: String(group), kind: String(kind), value }];
  });
}

async function is(path: string, what: 'file' | 'folder'): Promise<boolean> {
  return stat(path).then(
    (found) => (what === 'file' ? found.isFile() : found.isDirectory()),
    () => false,
  );
}
