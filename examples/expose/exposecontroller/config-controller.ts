import { controller, type Outcome } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { configFor, isConfigMap } from './config.ts';

/** Tells of a configuration that cannot be read; those whom it concerns watch it themselves. */
export const configController = controller({
  name: 'exposecontroller-config',
  for: configMaps,
  predicate: ({ metadata }) => isConfigMap(metadata.name),

  async reconcile(configMap, { store, event }): Promise<Outcome> {
    const config = configFor([configMap.metadata.namespace], store(configMaps));
    if (config !== undefined && 'problem' in config) {
      event('Warning', 'InvalidConfig', config.problem);
    }
  },
});
