import { METHOD_OF, type PathVerb, type Verb } from '../../../operator/access/merge-access.ts';
import { type Placement, POD_NAMESPACE } from '../../../operator/access/placement.ts';
import { leaseNameOf } from '../../../operator/controller/controller.ts';
import type { Source } from '../../../operator/controller/source.ts';
import { customResourceDefinitions, events, leases } from '../../../operator/model/builtin.ts';
import {
  collectionPath,
  groupVersionPath,
  isBuiltInGroup,
  objectPath,
  type Resource,
  resourceName,
} from '../../../operator/model/resource.ts';
import type { Declaration } from './declarations.ts';
import type { Request } from './requests.ts';

/** A name that nobody declares. */
const ANY = 'web-a-1';

/** Where something is done in a Pod in `home`; undefined for the cluster, or all namespaces. */
type Place = string | undefined;

/** A request, or a right that the API server asks for while it serves another one. */
export interface Needed extends Request {
  /** A creation by server-side apply: what is sent is the PATCH, which needs a right of its own. */
  readonly isApply?: boolean;
}

/**
 * What an operator asks of the API server, read from its declaration in the plainest way: one or more
 * samples of everything that it may do.
 */
export function neededRequests({ controllers, placement }: Declaration): readonly Needed[] {
  const requests: Needed[] = [
    get('/version'),
    ask('create', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'),
  ];
  for (const controller of controllers) {
    const { for: root, owns, watches, permissions, finalizer } = controller;
    const sources = [root, ...[...owns, ...watches].map(({ source }) => source)];
    for (const source of sources) requests.push(...readsOf(source, placement));
    for (const { source } of owns) {
      for (const place of placesOf(source, placement)) {
        requests.push(ask('create', collectionPath(source.resource, place)));
        requests.push(onObject('patch', source.resource, place, nameIn(source) ?? ANY));
      }
    }
    for (const place of placesOf(root, placement)) {
      const name = nameIn(root) ?? ANY;
      if (finalizer !== undefined) {
        requests.push(onObject('patch', root.resource, place, name));
        requests.push(get(collectionPath(root.resource, acrossOrIn(root, place))));
      }
      if ('hasStatus' in root.resource) {
        requests.push(onObject('patch', root.resource, place, name, 'status'));
      }
    }
    const places = new Set(
      sources
        .filter(({ resource }) => resource.namespaced)
        .flatMap((one) => placesOf(one, placement)),
    );
    if (places.size === 0) places.add('else');
    for (const place of places) {
      for (const permission of permissions) requests.push(...permitted(permission, place));
    }
    if (sources.some(({ resource }) => resource.namespaced)) {
      for (const place of places) {
        requests.push(ask('create', collectionPath(events, place)));
        requests.push(onObject('patch', events, place, ANY));
      }
    }
    if (sources.some(({ resource }) => !resource.namespaced)) {
      requests.push(ask('create', collectionPath(events, 'default')));
      requests.push(onObject('patch', events, 'default', ANY));
    }
  }
  return [
    ...requests,
    ...electionOf({ controllers, placement }),
    ...definitionsOf({ controllers, placement }),
  ];
}

function readsOf(source: Source, placement: Placement): readonly Request[] {
  const { resource, fieldSelector, onUnserved } = source;
  const selector =
    fieldSelector === undefined ? '' : new URLSearchParams({ fieldSelector }).toString();
  const requests = placesOf(source, placement).flatMap((place) => {
    const path = collectionPath(resource, acrossOrIn(source, place));
    return [
      get(path, selector),
      get(path, `watch=true&${selector}`),
      onObject('get', resource, place, nameIn(source) ?? ANY),
    ];
  });
  if (isBuiltInGroup(resource)) return requests;
  requests.push(get(groupVersionPath(resource)));
  if (onUnserved === 'clear') {
    requests.push(onObject('get', customResourceDefinitions, undefined, resourceName(resource)));
  }
  return requests;
}

/** A source in all namespaces is read over all of them at once, and its objects are in any. */
function acrossOrIn({ resource, namespace }: Source, place: Place): Place {
  return resource.namespaced && (namespace === 'all' || place === 'else') ? undefined : place;
}

function placesOf({ resource, namespace }: Source, { namespaces }: Placement): readonly Place[] {
  if (!resource.namespaced) return [undefined];
  if (namespace === 'all') return ['else'];
  if (typeof namespace === 'object') return [namespace.name];
  return namespaces?.map(inHome) ?? ['else'];
}

function inHome(namespace: string): string {
  return namespace === POD_NAMESPACE ? 'home' : namespace;
}

function nameIn({ fieldSelector = '' }: Source): string | undefined {
  if (fieldSelector === 'metadata.name=web') return 'web';
  return fieldSelector.endsWith('==web.a-1') ? 'web.a-1' : undefined;
}

function permitted(
  permission: Declaration['controllers'][number]['permissions'][number],
  namespace: Place,
): readonly Needed[] {
  const { resource, subresource, verbs, resourceNames } = permission;
  const place = resource.namespaced ? namespace : undefined;
  return verbs.flatMap((verb) =>
    (resourceNames ?? [undefined]).map((name) => {
      const reads = verb === 'list' || verb === 'watch';
      const watch = verb === 'watch' ? 'watch=true&' : '';
      const fieldSelector = name === undefined ? '' : `fieldSelector=metadata.name%3D${name}`;
      if (reads) return get(collectionPath(resource, place), `${watch}${fieldSelector}`);
      if (verb === 'create' && subresource === undefined) {
        return name === undefined
          ? ask('create', collectionPath(resource, place))
          : { ...onObject('create', resource, place, name), isApply: true };
      }
      return onObject(verb, resource, place, name ?? ANY, subresource);
    }),
  );
}

function electionOf({ controllers, placement }: Declaration): readonly Request[] {
  const { leaderElection } = placement;
  if (leaderElection === undefined) return [];
  const place = inHome(leaderElection.namespace);
  const name = leaderElection.leaseName ?? leaseNameOf(controllers);
  const isSharded = leaderElection.sharded === true;
  const names = [name, ...(isSharded ? [`${name}-group-0`, `${name}-member-pod`] : [])];
  return [
    ask('create', collectionPath(leases, place)),
    ...names.flatMap((each) => [
      onObject('get', leases, place, each),
      onObject('update', leases, place, each),
    ]),
    ...(isSharded ? [get(collectionPath(leases, place), `labelSelector=x%3D${name}`)] : []),
    ask('create', collectionPath(events, place)),
  ];
}

function definitionsOf({ controllers, placement }: Declaration): readonly Needed[] {
  const isUsed = controllers
    .flatMap(({ for: root, owns, watches }) => [
      root,
      ...[...owns, ...watches].map((one) => one.source),
    ])
    .some(({ resource }) => 'definition' in resource);
  if (placement.installCrds !== true || !isUsed) return [];
  const onDefinition = (verb: Verb): Request =>
    onObject(verb, customResourceDefinitions, undefined, 'things.a.example');
  return [onDefinition('get'), onDefinition('patch'), { ...onDefinition('create'), isApply: true }];
}

function get(path: string, query = ''): Request {
  return { method: 'GET', path, query };
}

function ask(verb: Verb, path: string): Request {
  return { method: METHOD_OF[verb as PathVerb], path, query: '' };
}

function onObject(
  verb: Verb,
  resource: Resource,
  namespace: Place,
  name: string,
  subresource?: string,
): Request {
  return ask(verb, objectPath(resource, { namespace, name }, subresource));
}
