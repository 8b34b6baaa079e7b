import { type Amount, amountsOf, amountText } from '../quota/usage.ts';

/** What a container, a Pod or a claim asks for and may have at most; undefined where it does not say. */
export interface Measured {
  readonly request: (resource: string) => Amount | undefined;
  readonly limit: (resource: string) => Amount | undefined;
}

/**
 * What is wrong by one constraint of a LimitRange, one text a resource, in the words of
 * kubernetes/kubernetes, plugin/pkg/admission/limitranger/admission.go.
 *
 * @param type - of the item of the LimitRange.
 * @param enforced - amounts by resource.
 */
type Constraint = (type: string, enforced: unknown, measured: Measured) => readonly string[];

type Check = (
  what: { readonly type: string; readonly name: string; readonly enforced: Amount },
  request: Amount | undefined,
  limit: Amount | undefined,
) => string | undefined;

function constraint(check: Check): Constraint {
  return (type, amounts, { request, limit }) =>
    [...amountsOf(amounts)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, enforced]) => check({ type, name, enforced }, request(name), limit(name)))
      .filter((text) => text !== undefined);
}

export const minimum: Constraint = constraint(({ type, name, enforced }, request, limit) => {
  const least = `minimum ${name} usage per ${type} is ${amountText(enforced)}`;
  if (request === undefined) return `${least}.  No request is specified`;
  if (thousandths(request) < thousandths(enforced)) return but(least, 'request', request);
  const low = limit !== undefined && thousandths(limit) < thousandths(enforced);
  return low ? but(least, 'limit', limit) : undefined;
});

export const maximum: Constraint = constraint(({ type, name, enforced }, request, limit) => {
  const most = `maximum ${name} usage per ${type} is ${amountText(enforced)}`;
  if (limit === undefined) return `${most}.  No limit is specified`;
  if (thousandths(limit) > thousandths(enforced)) return but(most, 'limit', limit);
  const high = request !== undefined && thousandths(request) > thousandths(enforced);
  return high ? but(most, 'request', request) : undefined;
});

/** The maximum of what has no limits. */
export const maximumRequest: Constraint = constraint(({ type, name, enforced }, request) => {
  const most = `maximum ${name} usage per ${type} is ${amountText(enforced)}`;
  if (request === undefined) return `${most}.  No request is specified`;
  const high = thousandths(request) > thousandths(enforced);
  return high ? but(most, 'request', request) : undefined;
});

export const ratio: Constraint = constraint(({ type, name, enforced }, request, limit) => {
  const most = `${name} max limit to request ratio per ${type} is ${amountText(enforced)}`;
  const [asked, allowed] = [request, limit].map((amount) => Number(thousandths(amount)));
  if (!asked) return `${most}, but no request is specified or request is 0`;
  if (!allowed) return `${most}, but no limit is specified or limit is 0`;
  const found = allowed / asked;
  if (found * 1000 <= Number(thousandths(enforced))) return undefined;
  return `${most}, but provided ratio is ${found.toFixed(6)}`;
});

function but(text: string, what: string, amount: Amount): string {
  return `${text}, but ${what} is ${amountText(amount)}`;
}

/** Amounts are compared in thousandths, rounded up. */
function thousandths(amount: Amount | undefined): bigint {
  return ((amount?.nanos ?? 0n) + 999_999n) / 1_000_000n;
}
