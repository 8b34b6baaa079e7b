import type { Controller } from 'chancery';
import type { Provisioner } from './provisioner/provisioner.ts';
import { serviceController } from './service-controller.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';
import { tunnelController } from './tunnel-controller.ts';

export interface TunnelOperatorOptions {
  readonly provisioner: Provisioner;
  readonly settings?: Partial<Settings>;
}

/** Two controllers, each with a queue of its own: a Tunnel may have the name of any Service. */
export function tunnelOperator({
  provisioner,
  settings: some,
}: TunnelOperatorOptions): readonly Controller[] {
  const settings = { ...DEFAULT_SETTINGS, ...some };
  return [serviceController(settings), tunnelController({ settings, provisioner })];
}
