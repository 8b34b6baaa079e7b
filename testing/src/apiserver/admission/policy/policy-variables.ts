import { userInfo } from '../../auth/user.ts';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { rebuildJson } from '../../objects/json-walk.ts';
import { namespaceOf } from './match.ts';

/** The names that an expression of a policy may use, with their values. */
export type PolicyVariables = Readonly<Record<string, unknown>>;

/** The server's own writes come from its loopback client. */
const SERVER = { name: 'system:apiserver', groups: ['system:masters'] };

/** @param lazily - the `variables` of the policy, each evaluated when it is first used. */
export function variablesOf(
  cluster: Cluster,
  request: AdmissionRequest,
  lazily: ReadonlyMap<string, () => unknown>,
): PolicyVariables {
  const { served, namespace, object, previous } = request;
  const isNamespace = served.group === '' && served.plural === 'namespaces';
  const home = namespace === undefined || isNamespace ? undefined : namespaceOf(cluster, namespace);
  return {
    object: celValue(object),
    oldObject: celValue(previous),
    request: celValue(requestValue(request)),
    namespaceObject: celValue(home),
    variables: lazyFields(lazily),
  };
}

/** The fields of AdmissionRequest that a policy sees; those that are empty are not there. */
function requestValue(request: AdmissionRequest): object {
  const { operation, served, subresource, namespace, name, writer } = request;
  const { group, version, kind, plural } = served;
  const part = subresource ? { subResource: subresource, requestSubResource: subresource } : {};
  const own =
    subresource === 'scale'
      ? { group: 'autoscaling', version: 'v1', kind: 'Scale' }
      : { group, version, kind };
  const resource = { group, version, resource: plural };
  return {
    kind: own,
    resource,
    requestKind: own,
    requestResource: resource,
    ...part,
    ...(name === '' ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    operation,
    userInfo: userInfo(writer.caller ?? SERVER),
    dryRun: writer.dryRun,
    options: request.options,
  };
}

/** JSON as CEL values: whole numbers are ints, and an absent value is null. */
function celValue(value: unknown): unknown {
  return rebuildJson(value, {
    namesOf: (object) => Object.keys(object).filter((name) => object[name] !== undefined),
    scalar: (leaf) => (Number.isInteger(leaf) ? BigInt(leaf as number) : (leaf ?? null)),
    object: (entries) => new Map(entries),
  });
}

/** An object whose fields are evaluated once each, when they are first read. */
function lazyFields(fields: ReadonlyMap<string, () => unknown>): object {
  const values = new Map<string, unknown>();
  const lazy = Object.create(null) as object;
  for (const [name, evaluate] of fields) {
    const get = (): unknown => {
      if (!values.has(name)) values.set(name, evaluate());
      return values.get(name);
    };
    Object.defineProperty(lazy, name, { get, enumerable: true });
  }
  return lazy;
}
