import {
  AlreadyOwnedError,
  type Desired,
  keyOf,
  messageOf,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  retryRefused,
} from 'chancery';
import { type Ingress, ingresses, type Service } from 'chancery/kubernetes';
import { exposedUrl } from './exposed-url.ts';
import { type Problem, report } from './report.ts';
import { wantedIngress } from './wanted-ingress.ts';

type Context = ReconcileContext<Service>;

/** Keeps a Service's Ingress as its annotations say. */
export const reconcile: Reconciler<Service> = async (service, context) => {
  // The garbage collector takes the Ingress along: it names the Service as its owner.
  if (service.metadata.deletionTimestamp !== undefined) return;
  const wanted = wantedIngress(service);
  if (wanted === undefined) {
    await withdraw(service, context);
  } else if (wanted.refusal !== undefined) {
    // What was exposed before stays so: a slip of the pen takes no site down.
    const problem = { reason: 'InvalidAnnotation', note: wanted.refusal };
    await report(service, { problem, url: service.metadata.annotations?.['expose.url'] }, context);
  } else {
    return expose(service, wanted.ingress, context);
  }
};

async function expose(
  service: Service,
  wanted: Desired<Ingress>,
  context: Context,
): Promise<Outcome> {
  const { name } = service.metadata;
  const isNew = context.store(ingresses).get(keyOf(service)) === undefined;
  try {
    const ingress = await context.applyOwned(ingresses, wanted);
    if (isNew) context.event('Normal', 'Exposed', `Ingress ${name} was created`);
    await report(service, { url: exposedUrl(wanted, ingress) }, context);
    return;
  } catch (error) {
    if (isOfPredecessor(error, service)) return;
    const problem = problemOf(error, name);
    await report(service, { problem }, context);
    return problem.next;
  }
}

async function withdraw(service: Service, context: Context): Promise<void> {
  const { name } = service.metadata;
  if (await context.deleteOwned(ingresses, { name })) {
    context.event('Normal', 'Withdrawn', `Ingress ${name} was deleted`);
  }
  await report(service, {}, context);
}

/** The Ingress goes with an earlier Service of the same name, and its end brings us back here. */
function isOfPredecessor(error: unknown, { metadata }: Service): boolean {
  if (!(error instanceof AlreadyOwnedError)) return false;
  return error.controller?.kind === 'Service' && error.controller.name === metadata.name;
}

/** What people are told of a failure. @throws the error where they need not know of it. */
function problemOf(error: unknown, name: string): Problem {
  if (error instanceof AlreadyOwnedError) {
    const note = `Ingress ${name} exists and is not of this Service: it is left as it is`;
    return { reason: 'ErrResourceExists', note };
  }
  const next = retryRefused(error);
  return { reason: 'IngressRejected', note: messageOf(error), next };
}
