import { type Resource, resourceName, type Source, source } from 'chancery';
import {
  type AccessDeclaration,
  builtInHasStatus,
  type ChildUpdate,
  type ChildWrites,
  customResourceDefinitions,
  DECORATED_BY,
  isBuiltInGroup,
  type ParentWrites,
  type PlacedPermission,
} from 'chancery/internal';
import type { FunctionsFile } from '../call/functions-file.ts';
import { UPDATE_MANAGER } from '../children/last-applied.ts';
import { controllerName } from '../controller-name.ts';
import { controllerRevisions } from '../definitions/resources.ts';
import { parseReference } from '../parse/parse-reference.ts';
import type { ChildTypeSpec, CompositeSpec, ControllerSpec, ResourceReference } from '../spec.ts';
import { credentialSources } from './credentials.ts';

/** The facts on which the rights of a controller depend, in addition to its object. */
export interface AccessSurroundings {
  /** Returns undefined for a resource that is not known. */
  readonly resolve: (reference: ResourceReference) => Resource | undefined;
  /** True when the status of a resource is a subresource. Default: true for custom resources. */
  readonly hasStatus?: (resource: Resource) => boolean | undefined;
  /** Programs and modules that replace webhooks, and the related resources that the file lists. */
  readonly functions: Pick<FunctionsFile, 'functionsFor'> | undefined;
  /** The namespace of the operator. It holds the revisions of cluster-scoped parents. */
  readonly ownNamespace: string;
  /**
   * How children are written. With `server-side-apply`, they are created with the verb `patch`.
   * With `dynamic-apply`, they are created with the verb `create`.
   */
  readonly applyStrategy: 'dynamic-apply' | 'server-side-apply';
  /**
   * The field manager of server-side apply. Default: the field manager in
   * `METACONTROLLER_DEFAULTS`.
   */
  readonly fieldManager?: string;
}

/** The requests of one controller to the API server. */
export interface ControllerAccess {
  readonly declarations: readonly AccessDeclaration[];
  /** Resources that are not known. Nothing is declared for them. */
  readonly unknown: readonly ResourceReference[];
}

type Verb = PlacedPermission['verbs'][number];

/** The name of a controller in messages, as kubectl writes it: `compositecontroller/orchards`. */
export function controllerTitle({ kind, name }: Pick<ControllerSpec, 'kind' | 'name'>): string {
  return `${kind.toLowerCase()}/${name}`;
}

/**
 * The exact access of a controller: it reads parents, children and related objects, writes children
 * according to their strategies, and writes revisions. It reads the Secrets and ConfigMaps of its
 * webhooks by name.
 *
 * @throws InvalidSpecError for a wildcard in a related resource.
 */
export function controllerAccess(
  spec: ControllerSpec,
  surroundings: AccessSurroundings,
): ControllerAccess {
  const known = new KnownResources(surroundings.resolve);
  const parents = parentsOf(spec).flatMap((reference) => known.of(reference));
  const children = childTypesOf(spec).flatMap((type) =>
    known.of(type).map((resource) => ({ type, resource })),
  );
  const related = relatedOf(spec, surroundings).flatMap((reference) => known.of(reference));
  const revisions = parents.map((parent) => revisionAccess(spec, parent, surroundings));
  const name = controllerTitle(spec);
  const permissions = [
    ...parents.flatMap((parent) => parentPermissions(parent, spec, surroundings)),
    ...definitionPermissions(parents),
    ...children.map(({ resource, type }) => ({
      resource,
      verbs: childVerbs(type.update, spec, surroundings),
    })),
  ];
  const stored = revisions.flatMap((each) => each.permissions);
  const fieldManagers = managersOf(spec, surroundings);
  const main: AccessDeclaration = {
    name,
    fieldManagers,
    sources: [...parents, ...children.map(({ resource }) => resource), ...related].map((each) =>
      source(each),
    ),
    permissions,
    writes: {
      children: children.map(({ resource }) => childWrites(resource, parents, spec)),
      parents: parents.map((parent) => parentWrites(parent, spec, surroundings)),
      permissions,
    },
  };
  const silent: AccessDeclaration = {
    name,
    fieldManagers,
    sources: [
      ...credentialSources(spec, surroundings.functions),
      ...revisions.flatMap((each) => each.sources),
    ],
    permissions: stored,
    writes: {
      children: stored.map(() => childWrites(controllerRevisions, parents, spec)),
      parents: [],
      permissions: stored,
    },
    recordsEvents: false,
  };
  return { declarations: [main, silent], unknown: known.missing };
}

/**
 * The field managers of a controller: one for its engine (a decorator has one per resource), and
 * the field managers of its child writer.
 */
function managersOf(
  spec: ControllerSpec,
  { fieldManager = UPDATE_MANAGER }: AccessSurroundings,
): readonly string[] {
  const engines =
    spec.kind === 'CompositeController'
      ? [controllerName('composite', spec.name)]
      : spec.resources.map((_, at) => controllerName('decorator', spec.name, String(at + 1)));
  return [...new Set([...engines, UPDATE_MANAGER, fieldManager])];
}

/**
 * The writes of children. A CompositeController adopts and releases children by its selector.
 * Attachments have the name of their decorator.
 */
function childWrites(
  resource: Resource,
  parents: readonly Resource[],
  spec: ControllerSpec,
): ChildWrites {
  if (spec.kind === 'CompositeController') return { resource, parents, adopts: 'owners' };
  return { resource, parents, annotations: { [DECORATED_BY]: spec.name } };
}

function parentWrites(
  resource: Resource,
  spec: ControllerSpec,
  { hasStatus = builtInHasStatus }: AccessSurroundings,
): ParentWrites {
  const isDecorated = spec.kind === 'DecoratorController';
  return {
    resource,
    finalizers: [`metacontroller.io/${spec.kind.toLowerCase()}-${spec.name}`],
    texts: isDecorated,
    status: isDecorated && hasStatus(resource) === false,
  };
}

/** Resolves references, and remembers the unknown ones. */
class KnownResources {
  readonly missing: ResourceReference[] = [];
  readonly #resolve: AccessSurroundings['resolve'];

  constructor(resolve: AccessSurroundings['resolve']) {
    this.#resolve = resolve;
  }

  /** A list with the resource of a reference, or an empty list if it is unknown. */
  of({ apiVersion, resource }: ResourceReference): readonly Resource[] {
    const found = this.#resolve({ apiVersion, resource });
    if (found !== undefined) return [found];
    this.missing.push({ apiVersion, resource });
    return [];
  }
}

function parentsOf(spec: ControllerSpec): readonly ResourceReference[] {
  return spec.kind === 'CompositeController' ? [spec.parent] : spec.resources;
}

function childTypesOf(spec: ControllerSpec): readonly ChildTypeSpec[] {
  return spec.kind === 'CompositeController' ? spec.children : spec.attachments;
}

/**
 * Resources that only a customize hook reads: the resources in the annotation and in the mounted
 * file.
 */
function relatedOf(
  spec: ControllerSpec,
  { functions }: AccessSurroundings,
): readonly ResourceReference[] {
  const mounted = functions?.functionsFor(spec.kind, spec.name)?.related ?? [];
  const path = `related of ${controllerTitle(spec)}`;
  return [...spec.relatedResources, ...mounted].map((each) => parseReference(each, path));
}

/**
 * Permissions to read the definitions of parents. A definition tells whether the status may have
 * conditions.
 */
function definitionPermissions(parents: readonly Resource[]): readonly PlacedPermission[] {
  return parents
    .filter((parent) => !isBuiltInGroup(parent))
    .map((parent) => ({
      resource: customResourceDefinitions,
      verbs: ['get'],
      resourceNames: [resourceName(parent)],
    }));
}

/**
 * The permissions on a parent. Finalizers, labels and annotations are patched in the object itself,
 * and the status in its subresource. When an object is the owner of a child that must be deleted
 * first, admission requires `update` on the finalizers of this object.
 */
function parentPermissions(
  parent: Resource,
  spec: ControllerSpec,
  { hasStatus = builtInHasStatus }: AccessSurroundings,
): readonly PlacedPermission[] {
  const finalizers = { resource: parent, subresource: 'finalizers', verbs: ['update'] } as const;
  return [
    { resource: parent, verbs: ['patch'] },
    ...(hasStatus(parent) === false
      ? []
      : [{ resource: parent, subresource: 'status', verbs: ['patch'] } as const]),
    ...(childTypesOf(spec).length > 0 ? [{ ...finalizers, unrequested: true } as const] : []),
  ];
}

/**
 * The verbs on children. Every child can be created and deleted. The verb `patch` is needed to
 * change a child, to test whether an update would change it, and to add a parent to its owners.
 * Only for attachments that are never updated, `patch` is not needed.
 */
function childVerbs(
  update: ChildUpdate,
  spec: ControllerSpec,
  { applyStrategy }: AccessSurroundings,
): readonly Verb[] {
  const isLeft = spec.kind === 'DecoratorController' && update === 'keep';
  const patches = !isLeft || applyStrategy === 'server-side-apply';
  return patches ? ['create', 'patch', 'delete'] : ['create', 'delete'];
}

/**
 * The access to revisions. They are stored in the namespace of the parent, or in the operator's
 * namespace if the parent has none.
 */
function revisionAccess(
  spec: ControllerSpec,
  parent: Resource,
  { ownNamespace }: AccessSurroundings,
): { readonly sources: readonly Source[]; readonly permissions: readonly PlacedPermission[] } {
  if (spec.kind !== 'CompositeController' || !isRolling(spec))
    return { sources: [], permissions: [] };
  const verbs = ['create', 'patch', 'delete'] as const;
  const [placed, namespaces] = parent.namespaced
    ? [{}, {}]
    : [{ namespace: { name: ownNamespace } }, { namespaces: [ownNamespace] }];
  return {
    sources: [source(controllerRevisions, placed)],
    permissions: [{ resource: controllerRevisions, verbs, ...namespaces }],
  };
}

/** True when children are updated to a new revision one by one. */
function isRolling({ children }: CompositeSpec): boolean {
  return children.some(({ update }) => update.startsWith('rolling-'));
}
