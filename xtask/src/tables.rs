//! Writes the tables that a benchmark prints into a page of the docs.
//!
//! A printed table follows a line `table NAME: CONDITIONS`. The page marks the place of the table
//! with the lines `<!-- table NAME -->` and `<!-- end of table -->`.

use crate::project::Outcome;

const END: &str = "<!-- end of table -->";

/// A table in the output of a benchmark.
struct Table<'a> {
    name: &'a str,
    conditions: &'a str,
    /// The lines of the table, with their line ends.
    rows: String,
}

/// Returns the page with the tables of the output in their places. Fails if a printed table has no
/// place in the page, or if nothing was printed.
pub(crate) fn replace_tables(page: &str, output: &str, date: &str) -> Outcome<String> {
    let tables = printed_tables(output);
    if tables.is_empty() {
        return Err("the benchmark printed no table".to_owned());
    }
    let mut text = page.to_owned();
    for table in tables {
        let name = table.name;
        let begin = format!("<!-- table {name} -->\n");
        let Some((before, rest)) = text.split_once(&begin) else {
            return Err(format!("the page has no place for the table `{name}`"));
        };
        let end = rest.split_once(END);
        let Some((_, after)) = end.filter(|(old, _)| !old.contains("<!-- table ")) else {
            return Err(format!("the place of the table `{name}` has no end"));
        };
        let Table {
            conditions, rows, ..
        } = table;
        text =
            format!("{before}{begin}\nMeasured on {date}: {conditions}.\n\n{rows}\n{END}{after}");
    }
    Ok(text)
}

fn printed_tables(output: &str) -> Vec<Table<'_>> {
    let mut tables: Vec<Table<'_>> = Vec::new();
    let mut is_in_table = false;
    for line in output.lines() {
        let heading = line.strip_prefix("table ");
        if let Some((name, conditions)) = heading.and_then(|rest| rest.split_once(": ")) {
            tables.push(Table {
                name,
                conditions,
                rows: String::new(),
            });
            is_in_table = true;
        } else if let Some(table) = tables.last_mut().filter(|_| is_in_table) {
            if line.starts_with('|') {
                table.rows.push_str(line);
                table.rows.push('\n');
            } else {
                // An empty line may precede the rows, and ends them.
                is_in_table = table.rows.is_empty();
            }
        }
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Page\n\n<!-- table speed -->\nold\n<!-- end of table -->\n\nText.\n";
    const OUTPUT: &str = "noise\ntable speed: 3 runs\n\n| a |\n| - |\n| 1 |\n\n| no row |\n";

    #[test]
    fn a_printed_table_replaces_the_content_of_its_place() {
        let page = replace_tables(PAGE, OUTPUT, "2026-01-02").unwrap();
        assert_eq!(
            page,
            "# Page\n\n<!-- table speed -->\n\nMeasured on 2026-01-02: 3 runs.\n\n\
             | a |\n| - |\n| 1 |\n\n<!-- end of table -->\n\nText.\n"
        );
        assert_eq!(replace_tables(&page, OUTPUT, "2026-01-02"), Ok(page));
    }

    #[test]
    fn a_table_without_a_place_and_an_empty_output_are_errors() {
        let error = replace_tables("# Page\n", OUTPUT, "2026-01-02").unwrap_err();
        assert!(error.contains("`speed`"), "{error}");
        let open = PAGE.replace("old\n", "<!-- table other -->\n");
        let error = replace_tables(&open, OUTPUT, "2026-01-02").unwrap_err();
        assert!(error.contains("no end"), "{error}");
        let error = replace_tables(PAGE, "noise\n", "2026-01-02").unwrap_err();
        assert!(error.contains("no table"), "{error}");
    }
}
