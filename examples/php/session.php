<?php
// The token of a session, which a page sends with its requests to prove that it is a page of this server.

declare(strict_types=1);

/** Returns the token of the session, and creates it if the session has none. */
function session_token(): string
{
    // Over HTTPS also `cookie_secure`. An application calls `session_regenerate_id(true)` when the user signs in.
    session_start(['use_strict_mode' => true, 'cookie_httponly' => true, 'cookie_samesite' => 'Lax']);
    $token = $_SESSION['token'] ??= bin2hex(random_bytes(32));
    // A session is locked until it is closed, so that its other requests would wait for a stream.
    session_write_close();
    return $token;
}
