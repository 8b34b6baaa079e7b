/** The table of docs/reference/settings.md about the settings, from what the process reads. */
import { ENVIRONMENT } from '../../operator/manager/settings/settings.ts';
import { type MadePart, tableOf } from './made-part.ts';

export const SETTINGS_PART: MadePart = {
  page: 'reference/settings.md',
  of: 'settings',
  text: () => {
    const rows = ENVIRONMENT.map(([name, meaning]) => [`\`${name}\``, meaning]);
    return tableOf(['variable', 'meaning'], rows);
  },
};
