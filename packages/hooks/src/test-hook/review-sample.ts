import { ConfigurationError } from 'chancery';
import { isMapping, type Mapping } from 'chancery/internal';
import type { AdmissionBinding, ConversionBinding } from '../hook.ts';

const REVIEWS: readonly unknown[] = ['AdmissionReview', 'ConversionReview'];

/** True for a review as an API server sends it. */
export function isReview(item: Mapping): boolean {
  return REVIEWS.includes(item.kind) && 'request' in item;
}

/** The type of the contexts of a binding. */
function typeOf(binding: AdmissionBinding | ConversionBinding): string {
  if ('crdName' in binding) return 'Conversion';
  return binding.type === 'validating' ? 'Validating' : 'Mutating';
}

/** True when a sample can belong to a binding that answers the API server. */
export function fitsReview(
  { type, review }: Mapping,
  binding: AdmissionBinding | ConversionBinding,
): boolean {
  if (type !== undefined) return type === typeOf(binding);
  const kind = 'crdName' in binding ? 'ConversionReview' : 'AdmissionReview';
  return review === undefined || !isMapping(review) || (review.kind ?? kind) === kind;
}

/**
 * The context of a review, without snapshots.
 *
 * @throws ConfigurationError `CONFIG` when the sample has no review, or contains versions that the
 * binding does not have.
 */
export function contextOfReview(
  given: Mapping,
  binding: AdmissionBinding | ConversionBinding,
  place: string,
): Mapping {
  const { review } = given;
  const request = isMapping(review) ? review.request : undefined;
  if (!isMapping(review) || !isMapping(request)) {
    throw new ConfigurationError(`${place} needs review, with the request of the API server`);
  }
  const context = { binding: binding.name, type: typeOf(binding) };
  if (!('crdName' in binding)) {
    const names = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    return { ...context, review: { ...names, ...review } };
  }
  if (!Array.isArray(request.objects)) {
    throw new ConfigurationError(`${place} needs review.request.objects, a list`);
  }
  const names = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };
  return { ...context, ...stepOf(given, binding, place), review: { ...names, ...review } };
}

/** The conversion step with the versions in the sample, or the first step if the sample has none. */
function stepOf(
  { fromVersion, toVersion }: Mapping,
  { steps }: ConversionBinding,
  place: string,
): Mapping {
  const step = steps.find(
    (each) =>
      (fromVersion ?? each.fromVersion) === each.fromVersion &&
      (toVersion ?? each.toVersion) === each.toVersion,
  );
  if (step !== undefined) return { ...step };
  const all = steps.map((each) => `${each.fromVersion} to ${each.toVersion}`).join(', ');
  throw new ConfigurationError(`${place}: the binding converts ${all}`);
}
