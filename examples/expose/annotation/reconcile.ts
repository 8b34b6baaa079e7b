import {
  AlreadyOwnedError,
  ApiError,
  AWAIT_CHANGE,
  controllerOf,
  type Desired,
  type Ingress,
  ingresses,
  isNotFound,
  keyOf,
  type ReconcileContext,
  type Reconciler,
  type Service,
} from 'chancery';
import { exposedUrl } from './exposed-url.ts';
import { report } from './report.ts';
import { wantedIngress } from './wanted-ingress.ts';

type Context = ReconcileContext<Service>;

/** Keeps a Service's Ingress as its annotations say. */
export const reconcile: Reconciler<Service> = async (key, service, context) => {
  // The garbage collector takes the Ingress along: it names the Service as its owner.
  if (service === undefined || service.metadata.deletionTimestamp !== undefined)
    return AWAIT_CHANGE;
  const known = context.store(ingresses).get(key);
  const wanted = wantedIngress(service);

  if (wanted === undefined) {
    if (known !== undefined && isOurs(known, service)) await withdraw(known, context);
    await report(service, {}, context);
  } else if (wanted.refusal !== undefined) {
    // What was exposed before stays so: a slip of the pen takes no site down.
    const problem = { reason: 'InvalidAnnotation', note: wanted.refusal };
    await report(service, { problem, url: service.metadata.annotations?.['expose.url'] }, context);
  } else if (known === undefined || !isOfPredecessor(known, service)) {
    await expose(service, wanted.ingress, known, context);
  }
  return AWAIT_CHANGE;
};

async function expose(
  service: Service,
  wanted: Desired<Ingress>,
  known: Ingress | undefined,
  context: Context,
): Promise<void> {
  const { name } = service.metadata;
  try {
    const ingress = await context.applyOwned(ingresses, wanted);
    if (known === undefined) context.event('Normal', 'Exposed', `Ingress ${name} was created`);
    await report(service, { url: exposedUrl(wanted, ingress) }, context);
  } catch (error) {
    const problem = problemOf(error, name);
    if (problem === undefined) throw error;
    await report(service, { problem }, context);
  }
}

/** What only a change can help, and a retry cannot; undefined for everything else. */
function problemOf(error: unknown, name: string) {
  if (error instanceof AlreadyOwnedError) {
    const note = `Ingress ${name} exists and is not of this Service: it is left as it is`;
    return { reason: 'ErrResourceExists', note };
  }
  if (error instanceof ApiError && error.status === 422) {
    return { reason: 'IngressRejected', note: error.message };
  }
  return undefined;
}

async function withdraw(ingress: Ingress, { client, event }: Context): Promise<void> {
  const { uid = '', deletionTimestamp } = ingress.metadata;
  if (deletionTimestamp !== undefined) return;
  try {
    await client.delete(ingresses, ingress.metadata, { preconditions: { uid } });
    event('Normal', 'Withdrawn', `Ingress ${keyOf(ingress)} was deleted`);
  } catch (error) {
    if (!isNotFound(error)) throw error; // somebody was faster
  }
}

function isOurs(ingress: Ingress, { metadata }: Service): boolean {
  return controllerOf(ingress)?.uid === metadata.uid;
}

/** It goes with an earlier Service of the same name, and its end brings us back here. */
function isOfPredecessor(ingress: Ingress, { metadata }: Service): boolean {
  const owner = controllerOf(ingress);
  return owner?.kind === 'Service' && owner.name === metadata.name && owner.uid !== metadata.uid;
}
