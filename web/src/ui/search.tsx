import { Search as SearchIcon } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { Field } from './field.tsx';

/** As much as the API takes. The beginnings of words find, too. */
const mostLetters = 200;

/** What was typed, or stands in an address, as the API takes it. */
export const asQuery = (text = ''): { query?: string } => {
  const query = text.slice(0, mostLetters).trim();
  return query === '' ? {} : { query };
};

/** Looks for something among very many: when it is asked to, and not with each letter. */
export const Search = (props: {
  label: string;
  placeholder: string;
  maxLength?: number;
  value: string | undefined;
  onSearch: (text: string) => void;
}) => {
  const { label, placeholder, maxLength = mostLetters, value = '', onSearch } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <form role="search" onSubmit={search} className="col-span-2 flex cramped:col-span-1 items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field label={label}>
          <input
            className="field"
            type="search"
            placeholder={placeholder}
            maxLength={maxLength}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      </div>
      <button type="submit" className="button button-quiet px-3">
        <SearchIcon aria-hidden="true" className="size-4" />
        <span className="sr-only">Search</span>
      </button>
    </form>
  );
};
