//! The books, and the server functions.

use leptos::{prelude::*, server_fn::ServerFnError};
use serde::{Deserialize, Serialize};

/// A book of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    pub id: u32,
    pub title: String,
    pub lent: bool,
}

/// Returns the books whose title contains a text; all of them for an empty one.
#[server]
pub async fn find_books(query: String) -> Result<Vec<Book>, ServerFnError> {
    let query = query.to_lowercase();
    let mut books = shelf::read()?;
    books.retain(|book| book.title.to_lowercase().contains(&query));
    Ok(books)
}

/// Lends an available book.
#[server]
pub async fn lend(id: u32) -> Result<Book, ServerFnError> {
    shelf::change(id, |book| {
        if book.lent {
            return Err(ServerFnError::new(format!(
                "“{}” is lent already",
                book.title
            )));
        }
        book.lent = true;
        Ok(())
    })
}

/// Takes a book back.
#[server]
pub async fn take_back(id: u32) -> Result<Book, ServerFnError> {
    shelf::change(id, |book| {
        book.lent = false;
        Ok(())
    })
}

/// A placeholder for the database of a real library.
#[cfg(feature = "ssr")]
mod shelf {
    use std::sync::{LazyLock, Mutex};

    use leptos::server_fn::ServerFnError;

    use super::Book;

    static BOOKS: LazyLock<Mutex<Vec<Book>>> = LazyLock::new(|| {
        let titles = [
            "The Rust Programming Language",
            "Rust for Rustaceans",
            "The Dispossessed",
            "A Pattern Language",
        ];
        let book = |(id, title): (u32, &str)| Book {
            id,
            title: title.to_owned(),
            lent: false,
        };
        Mutex::new((1..).zip(titles).map(book).collect())
    });

    fn closed<T>(_: T) -> ServerFnError {
        ServerFnError::new("The library is closed")
    }

    pub fn read() -> Result<Vec<Book>, ServerFnError> {
        Ok(BOOKS.lock().map_err(closed)?.clone())
    }

    pub fn change(
        id: u32,
        change: impl FnOnce(&mut Book) -> Result<(), ServerFnError>,
    ) -> Result<Book, ServerFnError> {
        let mut books = BOOKS.lock().map_err(closed)?;
        let book = books.iter_mut().find(|book| book.id == id);
        let book = book.ok_or_else(|| ServerFnError::new(format!("There is no book {id}")))?;
        change(book)?;
        Ok(book.clone())
    }
}
