import { type ExcessAccessRule, excessRules } from '../../access/excess-rules.ts';
import { type GrantedRules, missingAccess } from '../../access/missing-access.ts';
import type { Placement } from '../../access/placement.ts';
import { requiredAccess } from '../../access/required-access.ts';
import {
  type NeededAccess,
  type NeededPath,
  neededAccess,
  type RequiredRight,
} from '../../access/required-rights.ts';
import type { Client } from '../../client/client.ts';
import type { Declared } from '../../controller/access-declaration.ts';
import type {
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SelfSubjectRulesReview,
  SubjectRulesReviewStatus,
} from '../../model/kubernetes/authorization-v1.ts';
import {
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
} from '../../model/kubernetes/resources.ts';
import type { ObjectMeta } from '../../model/object.ts';

interface AccessCheckOptions {
  /** The client of the operator, which goes through the ambassador. */
  readonly client: Pick<Client, 'create'>;
  readonly declarations: readonly Declared[];
  readonly placement: Placement;
  readonly signal: AbortSignal;
}

/** The rights that the API server grants the operator, compared with those that its controllers declare. */
export interface AccessReport {
  readonly missing: NeededAccess;
  /** Granted rights that are not declared. The API server may not list all of them. */
  readonly excess: readonly ExcessAccessRule[];
  /** Why the lists of rules are unreliable. If set, the check has sent a separate request for each right. */
  readonly incomplete: string | undefined;
}

/** No namespace has this name, because of the dot. So only rules for every namespace apply to it. */
const NO_NAMESPACE = 'no.namespace';

/** Number of concurrent requests. */
const SIDE_BY_SIDE = 4;

/**
 * Finds out which rights the API server grants the operator. The function requests one list of rules per
 * namespace, and then checks each right that is missing from the lists separately. If any list is incomplete,
 * it checks every right separately.
 *
 * @throws ApiError, AmbassadorError or ProtocolError when a request fails.
 */
export async function checkAccess(options: AccessCheckOptions): Promise<AccessReport> {
  const { declarations, placement } = options;
  const needed = neededAccess(requiredAccess(declarations, placement));
  const places = [...new Set([undefined, ...needed.rights.map(({ namespace }) => namespace)])];
  const answers = await sideBySide(places, (place) => rulesIn(place, options));
  const granted = new Map(places.map((place, at) => [place, answers[at] ?? NOTHING]));
  const doubt = answers.map(({ why }) => why).find((why) => why !== undefined);
  const listed = missingAccess(needed, (place) => granted.get(place) ?? NOTHING);
  const suspects = doubt === undefined ? listed : needed;
  return {
    missing: {
      rights: await notAllowed(suspects.rights, rightAttributes, options),
      paths: await notAllowed(suspects.paths, pathAttributes, options),
    },
    excess: excessRules(needed.rights, granted),
    incomplete: doubt,
  };
}

interface Answer extends GrantedRules {
  /** Why the real rules may differ from the listed ones; undefined when the list is complete. */
  readonly why: string | undefined;
}

const NOTHING: Answer = { resourceRules: [], nonResourceRules: [], why: undefined };

async function rulesIn(
  namespace: string | undefined,
  { client, signal }: AccessCheckOptions,
): Promise<Answer> {
  const review = await client.create<SelfSubjectRulesReview>(
    selfSubjectRulesReviews,
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: UNNAMED,
      spec: { namespace: namespace ?? NO_NAMESPACE },
    },
    { signal },
  );
  const { status } = review;
  if (status === undefined) return { ...NOTHING, why: 'the answer has no status' };
  return {
    resourceRules: status.resourceRules ?? [],
    nonResourceRules: status.nonResourceRules ?? [],
    why: doubtOf(status),
  };
}

function doubtOf({ incomplete, evaluationError }: SubjectRulesReviewStatus): string | undefined {
  if (evaluationError !== undefined && evaluationError !== '') return evaluationError;
  return incomplete === true ? 'the list of rules is incomplete' : undefined;
}

/** The elements of `wanted` that the API server does not allow, in the same order. */
async function notAllowed<W>(
  wanted: readonly W[],
  attributesOf: (one: W) => SelfSubjectAccessReviewSpec,
  { client, signal }: AccessCheckOptions,
): Promise<readonly W[]> {
  const allowed = await sideBySide(wanted, async (one) => {
    const review = await client.create<SelfSubjectAccessReview>(
      selfSubjectAccessReviews,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        metadata: UNNAMED,
        spec: attributesOf(one),
      },
      { signal },
    );
    return review.status?.allowed === true;
  });
  return wanted.filter((_, at) => allowed[at] !== true);
}

function rightAttributes(right: RequiredRight): SelfSubjectAccessReviewSpec {
  const { verb, resource, subresource, namespace, name } = right;
  return {
    resourceAttributes: {
      verb,
      group: resource.group,
      version: resource.version,
      resource: resource.plural,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    },
  };
}

function pathAttributes({ path }: NeededPath): SelfSubjectAccessReviewSpec {
  return { nonResourceAttributes: { verb: 'get', path } };
}

/** A review is answered but never stored, so it has no name. */
const UNNAMED = {} as ObjectMeta;

async function sideBySide<I, R>(
  items: readonly I[],
  ask: (item: I) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  const next = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of next) answers[at] = await ask(item);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return answers;
}
