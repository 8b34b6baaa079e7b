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

/** What the rights of a controller follow from, besides its object. */
export interface AccessSurroundings {
  /** Undefined: the resource is not known. */
  readonly resolve: (reference: ResourceReference) => Resource | undefined;
  /** Whether the status of a resource is a subresource. Default: that of a custom resource is. */
  readonly hasStatus?: (resource: Resource) => boolean | undefined;
  /** Programs and modules in place of webhooks, and the resources that they name. */
  readonly functions: Pick<FunctionsFile, 'functionsFor'> | undefined;
  /** Where the operator runs. The revisions of cluster-scoped parents are stored there. */
  readonly ownNamespace: string;
  /** Server-side apply patches where the other one creates. */
  readonly applyStrategy: 'dynamic-apply' | 'server-side-apply';
  /** The field manager of server-side apply. Default as in `METACONTROLLER_DEFAULTS`. */
  readonly fieldManager?: string;
}

/** What one controller does at the API server. */
export interface ControllerAccess {
  readonly declarations: readonly AccessDeclaration[];
  /** Resources that are not known: nothing is declared for them. */
  readonly unknown: readonly ResourceReference[];
}

type Verb = PlacedPermission['verbs'][number];

/** The name of a controller in explanations, as kubectl writes it: `compositecontroller/orchards`. */
export function controllerTitle({ kind, name }: Pick<ControllerSpec, 'kind' | 'name'>): string {
  return `${kind.toLowerCase()}/${name}`;
}

/**
 * What a controller does at the API server, and no more: reads of parents, children and related objects, writes by
 * the strategies of its children, its revisions, and the Secrets and ConfigMaps of its webhooks by name.
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

/** Names under which the writes of a controller are made: by its engine, by the engine of each resource, and by its children's writer. */
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

/** Children of a composite are adopted and released by its selector. Attachments carry the name of their decorator. */
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

/** Resolves references, and remembers those that are not known. */
class KnownResources {
  readonly missing: ResourceReference[] = [];
  readonly #resolve: AccessSurroundings['resolve'];

  constructor(resolve: AccessSurroundings['resolve']) {
    this.#resolve = resolve;
  }

  /** One resource, or none. */
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

/** What only a customize hook reads: those of the annotation and those of the mounted file. */
function relatedOf(
  spec: ControllerSpec,
  { functions }: AccessSurroundings,
): readonly ResourceReference[] {
  const mounted = functions?.functionsFor(spec.kind, spec.name)?.related ?? [];
  const path = `related of ${controllerTitle(spec)}`;
  return [...spec.relatedResources, ...mounted].map((each) => parseReference(each, path));
}

/** Whether the status of a parent may have conditions is read in its definition. */
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
 * Finalizers, labels and annotations are patched in the object itself, the status in its subresource. To name an
 * object as the owner of a child that must go first, admission asks for `update` on its finalizers.
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
 * Every child can be created and deleted. A patch changes a child, tries whether it would change, or makes a parent
 * the owner of it. Only attachments that are left as they are need none.
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

/** Revisions are stored beside the parent, or beside the operator when the parent has no namespace. */
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

/** True when children move from revision to revision one by one. */
function isRolling({ children }: CompositeSpec): boolean {
  return children.some(({ update }) => update.startsWith('rolling-'));
}
