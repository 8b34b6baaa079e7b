/** What tests ask about a Node. */
import { BEFORE_REBOOT, REBOOT_NEEDED, REBOOT_OK } from '../protocol.ts';
import type { Cluster } from './cluster.ts';

export const annotation = async ({ node }: Cluster, name: string, key: string) =>
  (await node(name)).metadata.annotations?.[key];

export const isOk = async (cluster: Cluster, name: string) =>
  (await annotation(cluster, name, REBOOT_OK)) === 'true';

export const isLabelled = async ({ node }: Cluster, name: string, label: string) =>
  (await node(name)).metadata.labels?.[label] === 'true';

/** It has never been given a place. */
export const neverChosen = ({ history }: Cluster, name: string) =>
  history(name, BEFORE_REBOOT, REBOOT_OK).flat().length === 0;

export const timeouts = async ({ place }: Cluster) => (await place.events('RebootTimeout')).length;

/** It has been rebooted, and has given its place back. */
export const hasFinished = async (cluster: Cluster, name: string) =>
  (await annotation(cluster, name, REBOOT_OK)) === 'false' &&
  (await annotation(cluster, name, REBOOT_NEEDED)) === 'false';
