//! Python bindings of the engine: conversion of types and errors, nothing else.
