/** The table of docs/running.md about the settings, from what the process reads. */
import { ENVIRONMENT } from '../../operator/manager/settings/settings.ts';
import { type MadePart, tableOf } from './made-part.ts';

export const SETTINGS_PART: MadePart = {
  page: 'running.md',
  of: 'settings',
  text: () => {
    const rows = ENVIRONMENT.map(([name, meaning]) => [`\`${name}\``, meaning]);
    return tableOf(['variable', 'meaning'], rows);
  },
};
