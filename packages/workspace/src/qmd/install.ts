import { QMD_COMMAND } from './commands.ts';
import { type QmdExecutor, runQmd } from './executor.ts';
import { refreshQmdProjectMemoryIndex, shouldSkipBackgroundQmdRefresh } from './refresh.ts';

/** How qmd is installed for a whole machine. Nothing in this service runs it by itself. */
export const QMD_INSTALL_COMMAND = 'bun install -g @tobilu/qmd';

export interface QmdInstallOptions {
  execFileAsync?: QmdExecutor;
  isAvailable?: () => Promise<boolean>;
}

/** Whether an executable of this name answers. */
export async function isQmdAvailable(): Promise<boolean> {
  try {
    await runQmd(QMD_COMMAND, ['--help'], { timeout: 3_000, maxBuffer: 128 * 1024, keepAlive: true });
    return true;
  } catch {
    return false;
  }
}

/** Runs the install command, at a person's wish. Rejects when it fails. */
export async function installQmd(options: Pick<QmdInstallOptions, 'execFileAsync'> = {}): Promise<boolean> {
  const execute = options.execFileAsync ?? runQmd;
  const [command, ...args] = QMD_INSTALL_COMMAND.split(' ');
  await execute(command!, args, { timeout: 120_000, maxBuffer: 1024 * 1024 });
  return true;
}

let installing: Promise<boolean> | null = null;

/** Installs qmd unless it is there; whether it is afterwards. Several callers at once share one installation. */
export async function ensureQmdInstalled(options: QmdInstallOptions = {}): Promise<boolean> {
  const isAvailable = options.isAvailable ?? isQmdAvailable;
  if (await isAvailable()) return true;
  installing ??= installQmd(options)
    .then(isAvailable)
    .finally(() => {
      installing = null;
    });
  return installing;
}

export async function ensureQmdInstalledAndRefresh(rootDir: string): Promise<void> {
  if (await ensureQmdInstalled()) await refreshQmdProjectMemoryIndex(rootDir, { force: true });
}

/** As `ensureQmdInstalledAndRefresh`, in the background, at a person's wish. */
export function scheduleQmdInstallAndRefresh(rootDir: string): void {
  if (shouldSkipBackgroundQmdRefresh()) return;
  ensureQmdInstalledAndRefresh(rootDir).catch(() => undefined);
}
