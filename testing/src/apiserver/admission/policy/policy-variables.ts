import { callerOf, serviceAccountUser } from '../../auth/user.ts';
import {
  type AuthorizerQuestion,
  CelAuthorizer,
} from '../../cel/functions/authorizer-functions.ts';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { rebuildJson } from '../../objects/json-walk.ts';
import { withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { isNamespace, namespaceOf } from '../request/match.ts';
import { requestFields, SERVER } from '../request/request-fields.ts';

/** The values of the variables in the expressions of a policy, keyed by name. */
type PolicyVariables = Readonly<Record<string, unknown>>;

/** The variables that expressions of policies and expressions of webhooks can use. */
export function celVariables(cluster: Cluster, request: AdmissionRequest): PolicyVariables {
  const { object, previous } = request;
  return {
    object: celValue(object),
    oldObject: celValue(previous),
    request: celValue(requestFields(request)),
    namespaceObject: celValue(homeOf(cluster, request)),
    authorizer: authorizerOf(cluster, request),
  };
}

/**
 * The variables that only policies have, and not webhooks.
 *
 * @param lazily - the `variables` of the policy. Each is evaluated when it is first used.
 */
export function policyVariables(
  param: StoredObject | undefined,
  lazily: ReadonlyMap<string, () => unknown>,
): PolicyVariables {
  return { params: celValue(param), variables: lazyFields(lazily) };
}

/**
 * The Namespace object of a request as policies see it, without `managedFields`. Undefined for a request
 * about a Namespace itself.
 */
function homeOf(
  cluster: Cluster,
  { served, namespace }: AdmissionRequest,
): StoredObject | undefined {
  if (namespace === undefined || isNamespace(served)) return undefined;
  const home = namespaceOf(cluster, namespace);
  if (home === undefined) return undefined;
  const {
    apiVersion: _,
    kind: __,
    ...rest
  } = withMetadata(home, {
    managedFields: undefined,
    ownerReferences: undefined,
  });
  return rest as unknown as StoredObject;
}

function authorizerOf({ authorization }: Cluster, request: AdmissionRequest): CelAuthorizer {
  const { served, namespace = '', name, subresource = '', writer } = request;
  const user = writer.caller ?? SERVER;
  const decide = (question: AuthorizerQuestion): { allowed: boolean; reason: string } => {
    const { verb, path, serviceAccount } = question;
    const { group = '', resource = '', subresource: part = '' } = question;
    const asker =
      serviceAccount === undefined
        ? user
        : callerOf(serviceAccountUser(serviceAccount.namespace, serviceAccount.name));
    const access =
      path === undefined
        ? {
            verb,
            group,
            resource,
            subresource: part,
            namespace: question.namespace ?? '',
            name: question.name ?? '',
          }
        : { verb, path };
    return authorization.decide(asker, access);
  };
  const { group, plural } = served;
  return new CelAuthorizer(decide, { group, resource: plural, subresource, namespace, name });
}

/** Converts JSON to CEL values: whole numbers become ints, and an absent value becomes null. */
function celValue(value: unknown): unknown {
  return rebuildJson(value, {
    namesOf: (object) => Object.keys(object).filter((name) => object[name] !== undefined),
    scalar: (leaf) => (Number.isInteger(leaf) ? BigInt(leaf as number) : (leaf ?? null)),
    object: (entries) => new Map(entries),
  });
}

/** An object whose fields are evaluated only once, when they are first read. */
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
