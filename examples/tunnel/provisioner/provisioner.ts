import type { ReconcileContext } from 'chancery';

/** What a host is asked for with. */
export interface HostRequest {
  /** Of the Tunnel. The provisioner marks the host with it, and finds it by it. */
  readonly uid: string;
  readonly namespace: string;
  /** Of the Tunnel: for people who look at the provider's list. */
  readonly name: string;
  /** Who connects to the host must show it. Secret. */
  readonly token: string;
  /** Where the host listens for its client. */
  readonly controlPort: number;
  /** What it is to let through, for providers with firewalls. */
  readonly ports: readonly number[];
}

/** A machine with a public address. */
export interface Host {
  /** The provider's name for it. */
  readonly id: string;
  readonly status: 'provisioning' | 'active';
  /** An IP address; always there once it is active. */
  readonly ip?: string;
}

/** What a call needs: it ends with the signal, and its time limit runs on the clock. */
export type Call = Pick<ReconcileContext, 'clock' | 'signal'>;

/**
 * Where hosts come from. A host costs money: it is looked up by the Tunnel's uid before one is asked
 * for, so that no crash and no lost answer ever makes two of them.
 *
 * @throws ProvisionerError when it is not known, or not done.
 */
export interface Provisioner {
  /** The host that is marked with this uid. */
  find(uid: string, call: Call): Promise<Host | undefined>;
  /** Asks for a host; asked again for one uid, it may answer with the host that there is. */
  create(request: HostRequest, call: Call): Promise<Host>;
  /** Gives back whatever is marked with this uid. Nothing to give back is no error. */
  remove(uid: string, call: Call): Promise<void>;
}

/** The provisioner did not do what it was asked to. Its message has no secrets, and is for people. */
export class ProvisionerError extends Error {
  override readonly name = 'ProvisionerError';
}
