/** Answers of an API server, by the form that `docs/reference/errors.md` gives them. */
import type { Status } from '../../operator/model/status.ts';

export type Answer = Omit<Status, 'kind'>;

const pod = { name: 'a', kind: 'pods' };
const map = { name: 'a', kind: 'configmaps' };

const forbidden = (why: string, details: Status['details'] = pod): Answer => ({
  code: 403,
  reason: 'Forbidden',
  message: `pods "a" is forbidden: ${why}`,
  details,
});

const DENIED =
  "ValidatingAdmissionPolicy 'team' with binding 'everywhere' denied request: every Deployment needs a team";
const deniedByPolicy = (code: number, reason: string): Answer => ({
  code,
  reason,
  message: `deployments.apps "example-foo" is forbidden: ${DENIED}`,
  details: {
    name: 'example-foo',
    group: 'apps',
    kind: 'deployments',
    causes: [{ message: DENIED }],
  },
});

const NO = 'admission webhook "w.example.dev" denied the request';

const conflict = (message: string, details: Status['details'] = map): Answer => ({
  code: 409,
  reason: 'Conflict',
  message,
  details,
});

/** Each form of the table, by what its cell begins with. At least one answer for each of its statuses. */
export const FORMS: Readonly<Record<string, readonly Answer[]>> = {
  'causes that name a `field`': [
    {
      code: 422,
      reason: 'Invalid',
      message: 'Deployment.apps "No" is invalid: metadata.name: Invalid value: "No"',
      details: {
        name: 'No',
        group: 'apps',
        kind: 'Deployment',
        causes: [{ reason: 'FieldValueInvalid', message: 'Invalid value', field: 'metadata.name' }],
      },
    },
    {
      // A value that repeats the words of a policy makes no policy.
      code: 422,
      reason: 'Invalid',
      message: `Site.example.dev "a" is invalid: spec.text: Invalid value: "x is forbidden: ${DENIED}"`,
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.text' }] },
    },
  ],
  "`ValidatingAdmissionPolicy 'NAME'": [
    deniedByPolicy(422, 'Invalid'),
    deniedByPolicy(401, 'Unauthorized'),
    deniedByPolicy(403, 'Forbidden'),
    deniedByPolicy(413, 'RequestEntityTooLarge'),
    {
      ...deniedByPolicy(422, 'Invalid'),
      message: `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'team' denied request: failed to configure policy: no params found`,
    },
  ],
  '`admission webhook "NAME" denied the request: …`, or': [
    forbidden(`${NO}: no`),
    forbidden(`${NO} without explanation`),
    { code: 400, reason: 'BadRequest', message: `${NO}: no` },
    { code: 404, reason: 'NotFound', message: `${NO}: no` },
    {
      code: 422,
      reason: 'Invalid',
      message: `${NO}: no`,
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.replicas' }] },
    },
  ],
  '`admission webhook "NAME" denied the request: …`, with': [conflict(`${NO}: not now`)],
  '`failed calling webhook "NAME"': [
    {
      code: 500,
      reason: 'InternalError',
      message:
        'Internal error occurred: failed calling webhook "w.example.dev": failed to call webhook: Post "https://w.default.svc:443/": connection refused',
      details: { causes: [{ message: 'failed calling webhook "w.example.dev": …' }] },
    },
  ],
  '`exceeded quota': [
    forbidden(
      'exceeded quota: rq, requested: requests.cpu=250m, used: requests.cpu=100m, limited: requests.cpu=300m',
    ),
    forbidden('failed quota: rq: must specify limits.cpu for: c'),
    forbidden('status unknown for quota: rq, resources: pods'),
  ],
  '`violates PodSecurity': [
    forbidden('violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false'),
  ],
  '`error looking up service account': [
    forbidden('error looking up service account demo/nope: serviceaccount "nope" not found'),
  ],
  'any other text, such as that of a LimitRange': [
    forbidden('maximum cpu usage per Container is 1, but limit is 2'),
    forbidden('no PriorityClass with name nope was found'),
  ],
  '`User "NAME" cannot VERB': [
    {
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps is forbidden: User "dev" cannot list resource "configmaps" in API group "" in the namespace "demo"',
      details: { kind: 'configmaps' },
    },
    {
      code: 403,
      reason: 'Forbidden',
      message: 'forbidden: User "dev" cannot get path "/metrics"',
    },
    {
      ...forbidden(
        'user "dev" (groups=["a" "b"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
      ),
      details: { name: 'a', kind: 'roles', group: 'rbac.authorization.k8s.io' },
    },
    forbidden(
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
    ),
  ],
  'a cause with the reason `NamespaceTerminating`': [
    forbidden('unable to create new content in namespace short because it is being terminated', {
      ...map,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace short is being terminated',
          field: 'metadata.namespace',
        },
      ],
    }),
  ],
  '`details.kind` is `namespaces`': [
    {
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "nope" not found',
      details: { name: 'nope', kind: 'namespaces' },
    },
  ],
  '`details.name` is the name of another object': [
    { code: 404, reason: 'NotFound', message: 'configmaps "a" not found', details: map },
  ],
  'no `details.name`': [
    { code: 404, reason: 'NotFound', message: '404 page not found' },
    {
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    },
  ],
  '`the object has been modified`': [
    conflict(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ),
  ],
  'another uid': [
    conflict(
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid x, and no existing object was found',
    ),
    {
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable',
      details: { ...map, causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] },
    },
  ],
  'causes with the reason `FieldManagerConflict`': [
    conflict('Apply failed with 1 conflict: conflict with "one": .data.k', {
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
      ],
    }),
  ],
  '`… already exists`': [
    {
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: map,
    },
  ],
  '`object is being deleted': [
    {
      code: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: configmaps "a" already exists',
      details: map,
    },
  ],
  'no cause, no policy': [
    {
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    },
  ],
  '`strict decoding error': [
    {
      code: 400,
      reason: 'BadRequest',
      message:
        'Site in version "v1" cannot be handled as a Site: strict decoding error: unknown field "spec.txet"',
    },
  ],
  '`Retry-After`': [
    { code: 429, reason: 'TooManyRequests', message: 'slow down' },
    { code: 503, reason: 'ServiceUnavailable', message: 'not yet' },
  ],
  '`field not declared in schema`': [
    {
      code: 500,
      message:
        'failed to create typed patch object (demo/a; example.dev/v1, Kind=Site): .status.words: field not declared in schema',
    },
  ],
  'any other text |': [
    { code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' },
    { code: 504, reason: 'Timeout', message: 'request did not complete in time' },
  ],
};
