import { isNamespaceTerminating, isUidMismatch } from './conflict.ts';
import { ApiError } from './status.ts';

/**
 * Why the API server refused a write, and so what can make it accept the same write later. Only
 * `invalid` cannot be accepted as it is; each of the others depends on something else in the cluster,
 * which may change at any time and without an event for the object.
 */
export type Refusal =
  /** The schema or a rule of the API forbids it. `fields` are the paths that the server names. */
  | { readonly kind: 'invalid'; readonly fields: readonly string[] }
  | {
      /**
       * A ValidatingAdmissionPolicy, an admission webhook that said no, an admission webhook that could not
       * be called, a ResourceQuota, Pod Security, a ServiceAccount that does not exist.
       */
      readonly kind:
        | 'policy'
        | 'webhook'
        | 'webhook-failed'
        | 'quota'
        | 'pod-security'
        | 'service-account';
      /** Of the policy, webhook or quota; `restricted:latest`; `namespace/name` of the account. */
      readonly name: string;
    }
  /**
   * A right is missing (RBAC or another authorizer), the namespace is being deleted, or another
   * admission plug-in refused, such as a LimitRange.
   */
  | { readonly kind: 'rbac' | 'namespace-terminating' | 'admission' };

type Named = Extract<Refusal, { readonly name: string }>['kind'];

/*
 * The texts below are the API server's: neither reason nor causes tell these refusals apart. Each begins
 * what the server says about the object (`pods "a" is forbidden: …`), so that no value of an object can
 * imitate one. Sources, in kubernetes/kubernetes:
 * - admission.NewForbidden: staging/src/k8s.io/apiserver/pkg/admission/errors.go
 * - policies: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go
 * - webhooks: .../admission/plugin/webhook/errors/statuserror.go (older ones without the object in front),
 *   .../admission/plugin/webhook/validating/dispatcher.go, .../pkg/util/webhook/error.go
 * - quotas: .../admission/plugin/resourcequota/controller.go
 * - Pod Security: staging/src/k8s.io/pod-security-admission/admission/admission.go
 * - accounts: plugin/pkg/admission/serviceaccount/admission.go
 * - rights: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go,
 *   pkg/registry/rbac/validation/rule.go, plugin/pkg/admission/gc/gc_admission.go
 */

/** `pods "a" is forbidden: `, or what a failure of the server itself begins with. */
const HEAD =
  /^(?:forbidden|[^\s":]+(?: "(?:[^"\\]|\\.)*")? is forbidden|Internal error occurred): /;

const NAMED: readonly (readonly [Named, RegExp])[] = [
  ['policy', /^ValidatingAdmissionPolicy '([^']*)' (?:with binding '[^']*' )?denied request: /],
  [
    'webhook',
    /^admission webhook "((?:[^"\\]|\\.)*)" denied the request(?:: | without explanation)/,
  ],
  ['webhook-failed', /^failed calling webhook "((?:[^"\\]|\\.)*)": /],
];

/** These have the status 403 and the reason `Forbidden`, as a missing right has. */
const NAMED_FORBIDDEN: readonly (readonly [Named, RegExp])[] = [
  ['quota', /^(?:exceeded|failed|status unknown for) quota: ([^,:]*)(?:[,:]|$)/i],
  ['pod-security', /^violates PodSecurity "([^"]*)": /],
  ['service-account', /^error looking up service account ([^\s:]+): /],
];

const MISSING_RIGHT: readonly RegExp[] = [
  /^User "(?:[^"\\]|\\.)*" cannot /,
  /^user "(?:[^"\\]|\\.)*" \(groups=.*\) is attempting to grant RBAC permissions not currently held/,
  /^cannot set blockOwnerDeletion /,
];

/**
 * Why the API server refused what was sent; undefined for every other error, such as a conflict, an
 * object that is not there, or an overloaded server. docs/errors.md has a row for each kind.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ApiError) || isUidMismatch(error)) return undefined;
  const text = textOf(error);
  const why = text.replace(HEAD, '');
  const named = namedIn(why, NAMED);
  if (named !== undefined) return named;
  if (error.status === 422) {
    const fields = (error.details.causes ?? []).flatMap(({ field = '' }) => field || []);
    return fields.length === 0 ? undefined : { kind: 'invalid', fields };
  }
  if (error.status !== 403) return undefined;
  if (isNamespaceTerminating(error)) return { kind: 'namespace-terminating' };
  if (MISSING_RIGHT.some((form) => form.test(why))) return { kind: 'rbac' };
  return namedIn(why, NAMED_FORBIDDEN) ?? { kind: 'admission' };
}

/**
 * True when the same write can never be accepted as it is: 422, and the server names fields that break
 * the schema or a rule of the API. Only a change of what is sent, or of the schema, helps. False for the
 * 422 of a ValidatingAdmissionPolicy or a webhook, which is `isAdmissionDenied`, and for that of an
 * object that another one has followed, which is `isUidMismatch`.
 */
export function isInvalid(error: unknown): boolean {
  return refusalOf(error)?.kind === 'invalid';
}

/**
 * True when the write was refused by something that may change without an event for the object: a
 * ValidatingAdmissionPolicy, a webhook (also one that cannot be called), a ResourceQuota, Pod Security, a
 * missing ServiceAccount, or another admission plug-in. `refusalOf` says which.
 */
export function isAdmissionDenied(error: unknown): boolean {
  const kind = refusalOf(error)?.kind;
  return kind !== undefined && !['invalid', 'rbac', 'namespace-terminating'].includes(kind);
}

/** True when the ambassador's user has no right to the request: an RBAC rule is missing. */
export function isForbidden(error: unknown): boolean {
  return refusalOf(error)?.kind === 'rbac';
}

/** What server-side apply says of a field that the schema of the installed definition does not have. */
const UNDECLARED_TEXT = 'field not declared in schema';

/** True for the text of a 500 that `isUndeclaredField` is about. */
export function isUndeclaredText(message: string): boolean {
  return message.includes(UNDECLARED_TEXT);
}

/**
 * True when a field was applied that the installed definition of the kind does not know: it is older
 * than what applies, or the field is misspelt. Server-side apply takes all or nothing, so that nothing
 * was written. The message of the error names the field. Once the definition is upgraded, the same is
 * taken.
 */
export function isUndeclaredField(error: unknown): boolean {
  // An internal error to the server, which gives no reason.
  return error instanceof ApiError && error.status === 500 && isUndeclaredText(error.message);
}

/** The server's own words: without its values they would not be of these forms. Nothing of them is kept. */
function textOf(error: ApiError): string {
  const { message } = error.statusWithValues();
  return typeof message === 'string' ? message : '';
}

function namedIn(why: string, forms: readonly (readonly [Named, RegExp])[]): Refusal | undefined {
  for (const [kind, form] of forms) {
    const name = form.exec(why)?.[1];
    if (name !== undefined) return { kind, name };
  }
  return undefined;
}
