import { html } from 'lit';
import { openFormDialog } from '../../components/form-dialog.js';
import { nameField } from './fields.js';
import { FOLDER_COLORS } from './records.js';
import type { Folder } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Creates or changes a folder. @returns whether it was saved */
export async function folderDialog(view: WorkspaceView, folder?: Folder): Promise<boolean> {
  const { folders, problems } = workspacesTexts;
  const saved = await openFormDialog<unknown>({
    heading: folder ? folders.changeTitle(folder.name) : folders.create,
    fields: () =>
      html`${nameField(folders.name, folder?.name)}
        <div class="field">
          <label for="field-color">${folders.color}</label>
          <select id="field-color" name="color">
            ${FOLDER_COLORS.map(
              (color) =>
                html`<option value=${color} ?selected=${color === (folder?.color ?? 'neutral')}>
                  ${folders.colors[color]}
                </option>`,
            )}
          </select>
        </div>`,
    submit: folder ? folders.save : folders.create,
    save: (form, signal) => {
      const { account } = view.context;
      const body = { name: String(form.get('name')).trim(), color: form.get('color') };
      return folder
        ? account.patch(view.path(`/folders/${folder.id}`), { signal, body })
        : account.post(view.path('/folders'), { signal, body });
    },
    problems,
  });
  return saved !== undefined;
}

/** Puts a bucket into a folder, or among the favorites. The API has no list of buckets, so the person types its name. */
export async function bucketDialog(view: WorkspaceView, folder?: Folder): Promise<boolean> {
  const { folders, problems } = workspacesTexts;
  const added = await openFormDialog<unknown>({
    heading: folder ? folders.addTitle(folder.name) : folders.addFavorite,
    fields: () =>
      html`<div class="field">
        <label for="field-bucket">${folders.bucket}</label>
        <input
          id="field-bucket"
          name="bucket"
          required
          maxlength="255"
          autocomplete="off"
          spellcheck="false"
          autofocus
          aria-describedby="bucket-hint"
        />
        <p class="hint" id="bucket-hint">${folders.bucketHint}</p>
      </div>`,
    submit: folders.add,
    save: (form, signal) => {
      const name = encodeURIComponent(String(form.get('bucket')).trim());
      const place = folder ? `/folders/${folder.id}/resources` : '/favorites';
      return view.context.account.put(view.path(`${place}/bucket/${name}`), { signal, body: {} });
    },
    problems: { ...problems, NOT_FOUND: folders.noBucket },
  });
  return added !== undefined;
}
