import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';

export const AUTHORIZER_TYPE = 'kubernetes.authorization.Authorizer';
const PATH = 'kubernetes.authorization.PathCheck';
const GROUP = 'kubernetes.authorization.GroupCheck';
const RESOURCE = 'kubernetes.authorization.ResourceCheck';
const DECISION = 'kubernetes.authorization.Decision';

/** What an expression asks the authorizer: whether this action on a path or resource is allowed. */
export interface AuthorizerQuestion {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /**
   * If set, the rights of this ServiceAccount are checked, and not the rights of the user of the request.
   */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

interface AuthorizerDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

type Subject = Omit<AuthorizerQuestion, 'verb'>;
type Decide = (question: AuthorizerQuestion) => AuthorizerDecision;

/** The variable `authorizer`: answers what the user of the request may do. */
export class CelAuthorizer extends Map<string, unknown> {
  readonly decide: Decide;
  readonly subject: Subject;

  /** @param own - the resource of the request: `authorizer.requestResource`. */
  constructor(decide: Decide, own: Subject, subject: Subject = {}) {
    super([['requestResource', new ResourceCheck(decide, own)]]);
    this.decide = decide;
    this.subject = subject;
  }
}

class Check {
  readonly decide: Decide;
  readonly subject: Subject;

  constructor(decide: Decide, subject: Subject) {
    this.decide = decide;
    this.subject = subject;
  }

  check(verb: string): Decision {
    return new Decision(this.decide({ ...this.subject, verb }));
  }
}

class PathCheck extends Check {}
class GroupCheck extends Check {}

class ResourceCheck extends Check {
  with(more: Subject): ResourceCheck {
    return new ResourceCheck(this.decide, { ...this.subject, ...more });
  }
}

class Decision {
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: AuthorizerDecision) {
    this.allowed = allowed;
    this.reason = reason;
  }
}

/** The functions of `authorizer` (k8s.io/apiserver, pkg/cel/library/authz.go). */
export function registerAuthorizerFunctions(environment: CelEnvironment): void {
  environment
    .registerType(DECISION, Decision)
    .registerType(PATH, PathCheck)
    .registerType(GROUP, GroupCheck)
    .registerType(RESOURCE, ResourceCheck)
    .registerType(AUTHORIZER_TYPE, { ctor: CelAuthorizer, fields: { requestResource: RESOURCE } })
    .registerFunction(
      `${AUTHORIZER_TYPE}.path(string): ${PATH}`,
      ({ decide, subject }: CelAuthorizer, path: string) => {
        if (path === '') throw new Error('path must not be empty');
        return new PathCheck(decide, { ...subject, path });
      },
    )
    .registerFunction(
      `${AUTHORIZER_TYPE}.group(string): ${GROUP}`,
      ({ decide, subject }: CelAuthorizer, group: string) =>
        new GroupCheck(decide, { ...subject, group }),
    )
    .registerFunction(
      `${AUTHORIZER_TYPE}.serviceAccount(string, string): ${AUTHORIZER_TYPE}`,
      ({ decide }: CelAuthorizer, namespace: string, name: string) =>
        new CelAuthorizer(decide, {}, { serviceAccount: { namespace, name } }),
    )
    .registerFunction(
      `${GROUP}.resource(string): ${RESOURCE}`,
      ({ decide, subject }: GroupCheck, resource: string) =>
        new ResourceCheck(decide, { ...subject, resource }),
    )
    .registerFunction(
      `${RESOURCE}.subresource(string): ${RESOURCE}`,
      (check: ResourceCheck, subresource: string) => check.with({ subresource }),
    )
    .registerFunction(
      `${RESOURCE}.namespace(string): ${RESOURCE}`,
      (check: ResourceCheck, namespace: string) => check.with({ namespace }),
    )
    .registerFunction(
      `${RESOURCE}.name(string): ${RESOURCE}`,
      (check: ResourceCheck, name: string) => check.with({ name }),
    )
    .registerFunction(`${PATH}.check(string): ${DECISION}`, (check: Check, verb: string) =>
      check.check(verb),
    )
    .registerFunction(`${RESOURCE}.check(string): ${DECISION}`, (check: Check, verb: string) =>
      check.check(verb),
    )
    .registerFunction(`${DECISION}.allowed(): bool`, ({ allowed }: Decision) => allowed)
    .registerFunction(`${DECISION}.reason(): string`, ({ reason }: Decision) => reason)
    .registerFunction(`${DECISION}.errored(): bool`, () => false)
    .registerFunction(`${DECISION}.error(): string`, () => '');
}
