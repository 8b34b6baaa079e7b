import { rfc3339 } from 'chancery/internal-objects';
import type { Access } from '../../auth/access.ts';
import { allOf } from '../../auth/authorization.ts';
import type { PolicyRule } from '../../auth/policy-rule.ts';
import { ANONYMOUS, type Caller, callerOf, userInfo } from '../../auth/user.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { badRequest } from '../../failures/failure.ts';
import { type FieldError, invalid } from '../../failures/invalid.ts';
import { isObject, type Json, withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { WriteOptions } from '../../request/options.ts';
import { internalJson } from '../../validation/fields/internal-json.ts';
import { canonical } from '../canonical.ts';
import { ownersAfter } from '../ownership.ts';

/**
 * A review that a client sends by POST, such as a SubjectAccessReview. The answer is the same object with its
 * status. Nothing is stored.
 */
interface Question {
  readonly cluster: Cluster;
  readonly caller: Caller;
  readonly body: StoredObject;
  readonly spec: Json;
}

type Answer = (question: Question) => Json;

const ANSWERS: Readonly<Record<string, Answer>> = {
  SelfSubjectAccessReview: ({ cluster, caller, spec }) => accessStatus(cluster, caller, spec),
  SubjectAccessReview: ({ cluster, spec }) => accessStatus(cluster, subjectOf(spec), spec),
  LocalSubjectAccessReview: ({ cluster, spec }) => accessStatus(cluster, subjectOf(spec), spec),
  SelfSubjectRulesReview: ({ cluster, caller, spec }) => rulesStatus(cluster, caller, spec),
  SelfSubjectReview: ({ caller }) => ({ userInfo: userInfo(caller) }),
  TokenReview: ({ cluster, spec }) => tokenStatus(cluster, spec),
};

/**
 * The answer to a review of a user or of the user's rights. Undefined for an object that is not a review.
 *
 * @throws ApiError 422 or 400 for a review whose spec lacks a required field, or contains two fields that
 * exclude each other.
 */
export function answerReview(
  cluster: Cluster,
  served: ServedResource,
  namespace: string | undefined,
  asked: StoredObject,
  { manager, caller = callerOf(ANONYMOUS) }: WriteOptions,
): StoredObject | undefined {
  const answer = ANSWERS[asked.kind];
  if (answer === undefined) return undefined;
  const body = namespace === undefined ? asked : withMetadata(asked, { namespace });
  refuseBadReview(body);
  const spec = isObject(body.spec) ? body.spec : {};
  const status = answer({ cluster, caller, body, spec });
  const time = rfc3339(cluster.clock.now());
  // For these two kinds, the answer does not keep the metadata that was sent. For all other kinds, it is the
  // object that was sent, with a status.
  if (body.kind === 'SelfSubjectReview') {
    const metadata = { creationTimestamp: time } as unknown as StoredObject['metadata'];
    return canonical(served, withFields(body, { metadata, status }));
  }
  if (body.kind === 'SelfSubjectRulesReview') {
    return canonical(served, withFields(body, { metadata: {}, spec: {}, status }));
  }
  const managedFields = ownersAfter(served, undefined, body, { manager }, time);
  const owned = withMetadata(body, { managedFields, creationTimestamp: undefined });
  return canonical(served, withFields(owned, { status }));
}

function accessStatus({ authorization }: Cluster, caller: Caller, spec: Json): Json {
  const { allowed, reason } = authorization.decide(caller, accessIn(spec));
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function accessIn({ resourceAttributes, nonResourceAttributes }: Json): Access {
  const asked = isObject(resourceAttributes) ? resourceAttributes : nonResourceAttributes;
  const text = (field: string): string => {
    const value = isObject(asked) ? asked[field] : undefined;
    return typeof value === 'string' ? value : '';
  };
  if (!isObject(resourceAttributes)) return { verb: text('verb'), path: text('path') };
  return {
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  };
}

/** The user in the spec of a review, with only those fields that the spec contains. */
function subjectOf({ user, groups, uid }: Json): Caller {
  return {
    name: typeof user === 'string' ? user : '',
    groups: Array.isArray(groups) ? groups.map(String) : [],
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
  };
}

function rulesStatus({ authorization }: Cluster, caller: Caller, { namespace }: Json): Json {
  if (typeof namespace !== 'string' || namespace === '') {
    throw badRequest('no namespace on request');
  }
  const { rules, errors, incomplete } = authorization.rightsOf(caller, namespace);
  return {
    resourceRules: rules.filter(({ resources }) => resources !== undefined).map(resourceRule),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs !== undefined)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete,
    ...(errors.length === 0 ? {} : { evaluationError: allOf(errors) }),
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): Json {
  return {
    verbs,
    ...(apiGroups === undefined ? {} : { apiGroups }),
    resources,
    ...(resourceNames === undefined ? {} : { resourceNames }),
  };
}

function tokenStatus({ authentication }: Cluster, { token, audiences }: Json): Json {
  if (typeof token !== 'string' || token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const asked = Array.isArray(audiences) && audiences.length > 0 ? audiences : undefined;
  const holder = authentication.holderOf(token, asked);
  if (holder === undefined) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfo(holder.caller), audiences: holder.audiences };
}

const GROUP = 'authorization.k8s.io';

/**
 * @throws ApiError 422 for a review of rights that contains neither a resource nor a path, or that contains
 * both.
 */
function refuseBadReview(review: StoredObject): void {
  if (!review.kind.endsWith('AccessReview')) return;
  const spec = isObject(review.spec) ? review.spec : {};
  const problems = [
    ...attributeProblems(spec),
    ...(review.kind === 'SelfSubjectAccessReview' ? [] : subjectProblems(spec)),
    ...(review.kind === 'LocalSubjectAccessReview' ? placeProblems(spec, review.metadata) : []),
  ];
  // In this error, the server leaves the kind empty.
  if (problems.length > 0) throw invalid({ kind: '', group: GROUP }, '', problems);
}

function attributeProblems({ resourceAttributes, nonResourceAttributes }: Json): FieldError[] {
  const [resource, path] = [isObject(resourceAttributes), isObject(nonResourceAttributes)];
  if (resource && path) {
    const shown = internalJson(
      'io.k8s.api.authorization.v1.NonResourceAttributes',
      nonResourceAttributes,
    );
    return [
      problem(
        'nonResourceAttributes',
        shown,
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  }
  if (resource || path) return [];
  return [
    problem(
      'resourceAttributes',
      'null',
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ];
}

function subjectProblems({ user, groups }: Json): FieldError[] {
  const some =
    (typeof user === 'string' && user !== '') || (Array.isArray(groups) && groups.length > 0);
  return some ? [] : [problem('user', '""', 'at least one of user or group must be specified')];
}

function placeProblems(
  { resourceAttributes, nonResourceAttributes }: Json,
  metadata: StoredObject['metadata'],
): FieldError[] {
  const { namespace } = isObject(resourceAttributes) ? resourceAttributes : {};
  return [
    ...(isObject(resourceAttributes) && namespace !== metadata.namespace
      ? [
          problem(
            'resourceAttributes.namespace',
            JSON.stringify(namespace ?? ''),
            'must match metadata.namespace',
          ),
        ]
      : []),
    ...(isObject(nonResourceAttributes)
      ? [
          problem(
            'nonResourceAttributes',
            JSON.stringify(nonResourceAttributes),
            'disallowed on this kind of request',
          ),
        ]
      : []),
  ];
}

function problem(field: string, value: string, why: string): FieldError {
  const message = `Invalid value: ${value}: ${why}`;
  return { field: `spec.${field}`, reason: 'FieldValueInvalid', message };
}
